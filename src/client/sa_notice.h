/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * What a Notice says, as a Report carries it: what has happened, and whom it is about.
 */
#ifndef WEFT_CLIENT_SA_NOTICE_H
#define WEFT_CLIENT_SA_NOTICE_H

#include <weft/sa.h>

/** No port is named. */
#define SA_NOTICE_NO_PORT 0x100

/** A Notice (IBA 13.4.8.2, 14.2.5.1). */
struct sa_notice {
    bool generic;        /**< false: a vendor's; nothing but issuer_lid and issuer_gid is known */
    uint8_t type;        /**< 0 fatal, 1 urgent, 2 security, 3 subnet management, 4 informational */
    uint32_t producer;   /**< the kind of node it is about; a vendor's: its OUI */
    uint16_t trap;       /**< a vendor's: the device's id */
    uint16_t issuer_lid; /**< who has sent the trap */
    uint8_t issuer_gid[16];
    uint16_t lid;   /**< whom it is about; 0: no LID is named */
    uint16_t other; /**< bad keys: to whom the packet went; 0: not named */
    uint16_t port;  /**< of who has `lid`, or SA_NOTICE_NO_PORT */
    bool has_gid;
    uint8_t gid[16]; /**< whom it is about, or the multicast group */
    uint32_t key;    /**< bad P_Keys and Q_Keys: the packet's */
    bool name;       /**< trap 144: the NodeDescription has changed */
};

/** Reads one. */
void sa_notice_read(const uint8_t notice[WEFT_SA_NOTICE_BYTES], struct sa_notice *ret);

/** What has happened, for people: "a link has changed state". */
const char *sa_notice_text(const struct sa_notice *n);

/** The word for a type: "urgent". */
const char *sa_notice_type_word(uint8_t type);

#endif
