/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Capture files by libpcap: pcap and pcapng. */
#include "capture/capture.h"
#include "library/library.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <string.h>

#define PCAP_FUNCTIONS(F)                                                                          \
    F(pcap_close)                                                                                  \
    F(pcap_datalink)                                                                               \
    F(pcap_datalink_val_to_name)                                                                   \
    F(pcap_fopen_offline_with_tstamp_precision)                                                    \
    F(pcap_geterr)                                                                                 \
    F(pcap_next_ex)

static const char *const names[] = {PCAP_FUNCTIONS(LIBRARY_NAME)};

static const struct library library = {"libpcap.so.0.8", "libpcap0.8", names,
                                       sizeof(names) / sizeof(names[0])};

static struct {
    PCAP_FUNCTIONS(LIBRARY_POINTER)
} libpcap;
LIBRARY_CHECK(libpcap, names);

static bool load(char text[LIBRARY_TEXT_BYTES])
{
    static bool loaded;

    loaded = loaded || library_load(&library, &libpcap, text);
    return loaded;
}

static weft_time time_of(const struct pcap_pkthdr *header)
{
    return (weft_time)header->ts.tv_sec * WEFT_S + (weft_time)header->ts.tv_usec;
}

static enum capture_file_end read_packets(struct capture *c, pcap_t *pcap,
                                          char error[CAPTURE_ERROR_BYTES])
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int link = libpcap.pcap_datalink(pcap), got;

    while ((got = libpcap.pcap_next_ex(pcap, &header, &data)) == 1)
        capture_packet(c, link, data, header->caplen, header->len, time_of(header));
    capture_finish(c);
    if (got == PCAP_ERROR_BREAK)
        return CAPTURE_FILE_READ;
    (void)snprintf(error, CAPTURE_ERROR_BYTES, "the file is cut or broken behind packet %llu: %s",
                   (unsigned long long)capture_stats(c)->packets, libpcap.pcap_geterr(pcap));
    return CAPTURE_FILE_CUT;
}

static enum capture_file_end read_open(struct capture *c, pcap_t *pcap,
                                       char error[CAPTURE_ERROR_BYTES])
{
    int link = libpcap.pcap_datalink(pcap);
    const char *name = libpcap.pcap_datalink_val_to_name(link);

    if (packet_link_known(link))
        return read_packets(c, pcap, error);
    (void)snprintf(error, CAPTURE_ERROR_BYTES,
                   "packets of link type %d (%s) cannot be read: only Ethernet, Linux cooked, raw "
                   "IP and null/loop",
                   link, name ? name : "unknown");
    return CAPTURE_FILE_UNREADABLE;
}

enum capture_file_end capture_file(struct capture *c, FILE *in, char error[CAPTURE_ERROR_BYTES])
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    enum capture_file_end end;
    int first = getc(in);
    char text[LIBRARY_TEXT_BYTES];
    pcap_t *pcap;

    if (first == EOF) {
        (void)snprintf(error, CAPTURE_ERROR_BYTES, "%s",
                       ferror(in) ? strerror(errno) : "the file is empty");
        fclose(in);
        return CAPTURE_FILE_UNREADABLE;
    }
    if (!load(text)) {
        (void)snprintf(error, CAPTURE_ERROR_BYTES, "%s", text);
        fclose(in);
        return CAPTURE_FILE_NO_READER;
    }
    (void)ungetc(first, in);
    pcap = libpcap.pcap_fopen_offline_with_tstamp_precision(in, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!pcap) {
        fclose(in);
        (void)snprintf(error, CAPTURE_ERROR_BYTES, "this is no capture file: %s", reason);
        return CAPTURE_FILE_UNREADABLE;
    }
    end = read_open(c, pcap, error);
    libpcap.pcap_close(pcap);
    return end;
}
