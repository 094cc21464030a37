# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Builds the guest of the interop tests from Debian packages: a kernel, siw as a module, rping,
and rdmacm.c, what rping cannot do.

The packages are unpacked below build/vm (or $WEFT_VM), and nothing but tools/setup installs any.
Debian's kernels come without siw, so it is compiled from the kernel's source, twice: unmodified
(siw), and with its compile-time constants turned into module parameters (siw_tune). An image is
made once for each kernel and each version of these scripts.
"""
import concurrent.futures
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The guest's programs, and the package of each. tools/check-packages looks into packages.txt.
PROGRAMS = {
    "busybox": "busybox-static",
    "ip": "iproute2",
    "rdma": "iproute2",
    "ss": "iproute2",
    "rping": "rdmacm-utils",
    "ucmatose": "rdmacm-utils",
    "ibv_devices": "ibverbs-utils",
    "ibv_devinfo": "ibverbs-utils",
}
# siw's half in user space.
PROVIDER = "ibverbs-providers"
# What this script itself starts.
TOOLS = {"cpio": "cpio", "make": "make", "gcc": "gcc", "strip": "binutils", "xz": "xz-utils",
         "qemu-system-x86_64": "qemu-system-x86"}

# A header that rdmacm.c includes, below /usr/include.
HEADER, HEADER_PACKAGE = "rdma/rdma_cma.h", "librdmacm-dev"

# Each before those that need it, beyond what modules say themselves: siw without a CRC32C at hand
# would come up without CRC.
MODULES = ("virtio_pci", "virtio_net", "virtio_rng", "crc32c_generic", "ib_uverbs", "rdma_ucm",
           "iw_cm", "siw")
# What the tests set.
SIW_PARAMETERS = ("mpa_crc_required", "peer_to_peer", "mpa_version")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class Unavailable(Exception):
    """A program or a package cannot be had here."""


class Broken(Exception):
    """All is there, but it makes no guest."""


def folder():
    """Where packages and images are kept."""
    return pathlib.Path(os.environ.get("WEFT_VM") or ROOT / "build/vm")


def run(command, error=Broken, **options):
    done = subprocess.run([str(word) for word in command], text=True, errors="replace", check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-15:])
        raise error(f"{' '.join(map(str, command[:4]))} ended with {done.returncode}:\n{last}")
    return done.stdout


def program(name):
    path = shutil.which(name, path=PATH)
    if not path:
        package = {**PROGRAMS, **TOOLS}[name]
        raise Unavailable(f"{name} is missing: it is of the package {package}")
    return pathlib.Path(path)


class Packages:
    """The five packages of one kernel version."""

    def __init__(self, metapackage):
        shown = run(["apt-cache", "show", "--no-all-versions", metapackage], Unavailable)
        depends = re.search(r"^Depends: (linux-image-(\S+)) \(= ([^)]+)\)", shown, flags=re.M)
        if not depends:
            raise Unavailable(f"{metapackage} depends on no kernel")
        self.image, self.release, self.version = depends.groups()
        self.headers = f"linux-headers-{self.release}"
        self.source = "linux-source-" + ".".join(self.release.split(".")[:2])
        said = run(["apt-cache", "depends", self.headers], Unavailable)
        self.header_packages = [self.headers, *re.findall(
            r"Depends: (linux-headers-\S+-common\S*|linux-kbuild-\S+)", said)]
        self.debs = folder() / "debs"

    def deb(self, package):
        found = sorted(self.debs.glob(f"{package}_{self.version.replace(':', '%3a')}_*.deb"))
        return found[0] if found else None

    def download(self):
        self.debs.mkdir(parents=True, exist_ok=True)
        missing = [f"{package}={self.version}"
                   for package in [self.image, *self.header_packages, self.source]
                   if not self.deb(package)]
        if missing:
            # As root, apt gives downloads to a user that may have no right to write here.
            run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *missing],
                Unavailable, cwd=self.debs)


def find_packages(metapackage):
    """Names and versions; asks for the lists of packages when there are none."""
    try:
        return Packages(metapackage)
    except Unavailable:
        run(["apt-get", "-q", "update"], Unavailable)
        return Packages(metapackage)


def untar(deb, target, *patterns):
    """Unpacks a package, or what the patterns name."""
    with subprocess.Popen(["dpkg", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as packed:
        run_tar(["-C", str(target), "-xf", "-", "--wildcards", *patterns], packed.stdout)


def run_tar(arguments, stream):
    # A pattern that matches nothing is no error: kernels differ in what is a module.
    subprocess.run(["tar", *arguments], stdin=stream, stderr=subprocess.DEVNULL, check=False)


def extract_siw(packages, target):
    """siw's sources, out of a tarball in a package; the rest of the kernel is skipped."""
    inner = f"./usr/src/{packages.source}.tar.xz"
    wanted = "/drivers/infiniband/sw/siw/"
    with subprocess.Popen(["dpkg", "--fsys-tarfile", str(packages.deb(packages.source))],
                          stdout=subprocess.PIPE) as deb, \
            subprocess.Popen(["tar", "-xOf", "-", inner], stdin=deb.stdout,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as packed, \
            subprocess.Popen(["xz", "-dc", "-T0"], stdin=packed.stdout, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL) as plain:
        taken = 0
        with tarfile.open(fileobj=plain.stdout, mode="r|", bufsize=1 << 20) as tar:
            for member in tar:
                if wanted in member.name and member.isfile():
                    name = pathlib.PurePath(member.name).name
                    (target / name).write_bytes(tar.extractfile(member).read())
                    taken += 1
                elif taken and wanted not in member.name:
                    break
        for process in (plain, packed, deb):
            process.kill()
    if not taken:
        raise Broken(f"{packages.source} has no siw")


def tune(sources):
    """Turns siw's constants into module parameters."""
    main = sources / "siw_main.c"
    text = main.read_text(encoding="utf-8")
    text = re.sub(r"^const bool (\w+)( = true)?;",
                  r"bool \1\2; module_param(\1, bool, 0644);", text, flags=re.M)
    text = re.sub(r"^(u_char mpa_version = MPA_REVISION_2;)",
                  r"\1 module_param(mpa_version, byte, 0644);", text, flags=re.M)
    for name in SIW_PARAMETERS:
        if f"module_param({name}," not in text:
            raise Broken(f"this kernel's siw has no constant {name}")
    main.write_text(text, encoding="utf-8")
    header = sources / "siw.h"
    text = header.read_text(encoding="utf-8")
    header.write_text(text.replace("extern const bool ", "extern bool "), encoding="utf-8")
    makefile = sources / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    text = text.replace("siw.o", "siw_tune.o", 1).replace("siw-y", "siw_tune-y")
    makefile.write_text(text, encoding="utf-8")


def build_siw(packages, stage):
    """siw.ko and siw_tune.ko."""
    sources = stage / "siw"
    for name in ("stock", "tune"):
        (sources / name).mkdir(parents=True)
    headers = stage / "headers"
    headers.mkdir()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = [pool.submit(untar, packages.deb(name), headers)
                for name in packages.header_packages]
        jobs.append(pool.submit(extract_siw, packages, sources / "stock"))
        for job in jobs:
            job.result()
    for path in (sources / "stock").iterdir():
        shutil.copy(path, sources / "tune")
    tune(sources / "tune")
    (sources / "Kbuild").write_text("obj-m += stock/\nobj-m += tune/\n", encoding="utf-8")
    # The package's makefile includes another by the path it would be installed to.
    tree = headers / "usr/src" / packages.headers
    makefile = tree / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    makefile.write_text(text.replace("include /usr/src/", f"include {headers}/usr/src/"),
                        encoding="utf-8")
    run(["make", "-s", f"-j{len(os.sched_getaffinity(0))}", "-C", tree, f"M={sources}",
         "CONFIG_RDMA_SIW=m", "CONFIG_DEBUG_INFO_BTF_MODULES=", "KCFLAGS=-g0", "modules"])
    modules = {"siw": sources / "stock/siw.ko", "siw_tune": sources / "tune/siw_tune.ko"}
    run(["strip", "-g", *modules.values()])
    return modules


def build_rdmacm(stage):
    """The program of rdmacm.c."""
    target = stage / "rdmacm"
    run(["gcc", "-std=c17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-o", target,
         HERE / "rdmacm.c", "-lrdmacm", "-libverbs"])
    return target


def unpack_kernel(packages, stage):
    """Its modules by name, and the kernel itself."""
    target = stage / "kernel"
    target.mkdir()
    parts = [f"./lib/modules/*/kernel/{part}/*" for part in
             ("drivers/infiniband", "drivers/virtio", "drivers/net", "drivers/char/hw_random",
              "net", "fs", "lib", "crypto", "arch")]
    untar(packages.deb(packages.image), target, "./boot/vmlinuz*", "./lib/modules/*/modules.*",
          *parts)
    modules = {}
    for path in sorted((target / "lib/modules").rglob("*.ko*")):
        modules[path.name.split(".")[0].replace("-", "_")] = path
    return modules, target / f"boot/vmlinuz-{packages.release}"


def uncompressed(kernel):
    """The ELF file in a bzImage: emulated, its unpacking would take seconds at each boot."""
    data = kernel.read_bytes()
    begin = (data[0x1F1] or 4) * 512 + 512 + int.from_bytes(data[0x248:0x24C], "little")
    packed = data[begin:begin + int.from_bytes(data[0x24C:0x250], "little")]
    if packed.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(packed)
    tool = {b"\x28\xb5": "zstd", b"\x1f\x8b": "gzip", b"\x02\x21": "lz4"}.get(packed[:2])
    if not tool:
        raise Broken(f"{kernel.name} is compressed in an unknown way")
    # Behind the packed bytes stands their length, which gzip ignores.
    done = subprocess.run([tool, "-dc"], input=packed if tool == "gzip" else packed[:-4],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout


def module_bytes(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def load_order(modules):
    """(name, bytes) of what is wanted, each behind what it depends on. What is no module is taken
    to be in the kernel."""
    ordered = {}
    waiting = [(name, False) for name in reversed(MODULES)]
    while waiting:
        name, ready = waiting.pop()
        if name in ordered or name not in modules:
            continue
        data = module_bytes(modules[name])
        if ready:
            ordered[name] = data
            continue
        found = re.search(rb"\0depends=([^\0]*)\0", data)
        needs = found[1].decode().replace("-", "_").split(",") if found and found[1] else []
        waiting.append((name, True))
        waiting += [(need, False) for need in needs]
    return ordered


def libraries(path):
    """The shared objects a program is loaded with."""
    said = subprocess.run(["ldd", str(path)], text=True, check=False, capture_output=True).stdout
    return re.findall(r"(/\S+\.so\S*)", said)


def install(root, path, files):
    """Notes a file of this machine, with its libraries, for the guest."""
    files[root] = pathlib.Path(path)
    for library in libraries(path):
        files[library] = pathlib.Path(library)


def guest_files(rdmacm):
    """Guest's path -> this machine's file."""
    files = {}
    install("/usr/bin/rdmacm", rdmacm, files)
    for name in PROGRAMS:
        place = "/bin/busybox" if name == "busybox" else f"/usr/bin/{name}"
        install(place, program(name), files)
    driver = pathlib.Path("/etc/libibverbs.d/siw.driver")
    providers = sorted(pathlib.Path("/usr/lib").glob("*/libibverbs/libsiw-rdmav*.so"))
    # rping ends its threads by pthread_exit(), which loads this one.
    unwinder = [path for base in ("/lib", "/usr/lib")
                for path in sorted(pathlib.Path(base).glob("*/libgcc_s.so.1"))]
    if not driver.exists() or not providers or not unwinder:
        raise Unavailable(f"siw's provider is missing: it is of the package {PROVIDER}")
    files[str(driver)] = driver
    install(str(providers[0]), providers[0], files)
    files[str(unwinder[0])] = unwinder[0]
    return files


def fill_root(root, modules, rdmacm):
    """The guest's whole file system."""
    for name in ("bin", "sbin", "proc", "sys", "dev", "tmp", "etc", "run", "modules"):
        (root / name).mkdir(parents=True)
    for place, path in guest_files(rdmacm).items():
        target = root / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path.resolve(), target)
    init = root / "init"
    init.write_text("#!/bin/busybox sh\n" + (HERE / "guest_init.sh").read_text(encoding="utf-8"),
                    encoding="utf-8")
    init.chmod(0o755)
    ordered = load_order(modules)
    for name, data in ordered.items():
        (root / f"modules/{name}.ko").write_bytes(data)
    (root / "modules/order").write_text("".join(f"{name}\n" for name in ordered), encoding="utf-8")
    shutil.copy(modules["siw_tune"], root / "modules/siw_tune.ko")


def pack(root, target):
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    with target.open("wb") as out:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet", "-R", "+0:+0"], cwd=root, check=True,
                       input="".join(f"{name}\n" for name in names).encode(), stdout=out)


def key(packages):
    """What an image depends on."""
    digest = hashlib.sha256(packages.version.encode())
    for path in (HERE / "image.py", HERE / "guest_init.sh", HERE / "rdmacm.c"):
        digest.update(path.read_bytes())
    return f"{packages.release}-{digest.hexdigest()[:12]}"


def build(metapackage="linux-image-amd64", say=print):
    """The folder of an image: vmlinux and initramfs.cpio. Raises Unavailable or Broken."""
    for name in {**PROGRAMS, **TOOLS}:
        program(name)
    if not pathlib.Path("/usr/include", HEADER).exists():
        raise Unavailable(f"{HEADER} is missing: it is of the package {HEADER_PACKAGE}")
    packages = find_packages(metapackage)
    image = folder() / key(packages)
    if (image / "initramfs.cpio").exists():
        return image
    say(f"kernel {packages.release} ({packages.version}): packages")
    packages.download()
    stage = folder() / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    say("unpacking, and siw")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        unpacking = pool.submit(unpack_kernel, packages, stage)
        built = build_siw(packages, stage)
        modules, kernel = unpacking.result()
    fill_root(stage / "root", {**modules, **built}, build_rdmacm(stage))
    image.mkdir(exist_ok=True)
    (image / "vmlinux").write_bytes(uncompressed(kernel))
    pack(stage / "root", image / "initramfs.part")
    (image / "initramfs.part").rename(image / "initramfs.cpio")
    shutil.rmtree(stage)
    return image
