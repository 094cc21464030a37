# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the guest of the interop tests does first and last: modules, network, a shell on port 7000.
# shellcheck shell=dash
# image.py puts `#!/bin/busybox sh` before it. busybox has an `ip` of its own that it prefers to
# the path: iproute2's is /usr/bin/ip.
export PATH=/usr/bin:/usr/sbin:/bin:/sbin HOME=/tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmp /dev/shm
while read -r module; do
    insmod "/modules/$module.ko" || echo "insmod $module failed"
done </modules/order
ulimit -l unlimited
hostname weft-guest
/usr/bin/ip link set lo up
/usr/bin/ip link set eth0 up
/usr/bin/ip addr add 10.0.2.15/24 dev eth0
/usr/bin/ip route add default via 10.0.2.2
rdma link add siw0 type siw netdev eth0
# Each connection is a shell. It is reachable from the host's loopback alone.
nc -ll -p 7000 -e /bin/sh &
echo READY
while :; do
    wait
    sleep 3600
done
