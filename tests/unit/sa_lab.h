/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * A client of the SA and an SA that does as it is told, each above an engine, in virtual time.
 * Functions fail the test where something goes wrong that the test did not ask about.
 */
#ifndef WEFT_TESTS_SA_LAB_H
#define WEFT_TESTS_SA_LAB_H

#include <weft/sa.h>

#define SL_NEAR_LID 9
#define SL_SM_LID   3
#define SL_PACKETS  4096

/* What the SA does with a request. */
enum sl_mood {
    SL_ANSWERS,
    SL_SILENT,
    SL_BUSY,
    SL_REFUSES,   /* says `status` */
    SL_REDIRECTS, /* to LID `elsewhere`; whoever asks there is answered */
    SL_ABSENT,    /* a port without an SA: refuses a Get, and says nothing to others */
    SL_WRONG,     /* answers with another attribute, or with `method` */
    SL_SHORT      /* answers in segments, with `stride` bytes of a record */
};

struct sl {
    struct weft_mad_port *near, *far;
    weft_mad_agent_id agent, far_agent;
    struct weft_sa *sa;
    weft_time now;
    enum sl_mood mood;
    unsigned change_after;        /* requests after which the SA answers; 0: it does not change */
    bool probe_counts;            /* mood applies to ClassPortInfo, too */
    uint16_t status;              /* REFUSES */
    uint16_t elsewhere;           /* REDIRECTS */
    uint16_t elsewhere_pkey;      /* in which partition; sl_new(): the default one */
    uint8_t elsewhere_gid[16];    /* 0: none */
    bool probe_redirects;         /* ClassPortInfo names `elsewhere`, whatever its status */
    uint8_t method;               /* WRONG; 0: that of an answer */
    struct weft_mad_addr last_to; /* where the last request went */
    uint16_t at;                  /* the LID the SA has; packets to others are lost */
    uint32_t count, stride;       /* of a table's records */
    bool hides_stride;            /* AttributeOffset says 0 */
    uint16_t offset;              /* what it says instead; 0: what is so */
    uint8_t record[WEFT_SA_RECORD_BYTES]; /* begins each record */
    unsigned packets;                     /* requests that have left, repeated ones included */
    weft_time times[SL_PACKETS];          /* when */
    uint16_t lids[SL_PACKETS];            /* and to whom */
    uint8_t last[WEFT_MAD_BYTES];         /* the last one */
    unsigned replies;                     /* ReportResp that the SA got */
    uint8_t *answers[SL_PACKETS];         /* owned */
    unsigned answer_count;
};

/* Makes both; c may be NULL. The SM is at SL_SM_LID. */
struct sl *sl_new(const struct weft_sa_config *c);
/* The same with memory from `a`; NULL: that has none. */
struct sl *sl_try(const struct weft_sa_config *c, const struct weft_alloc *a);
void sl_free(struct sl *l);

/* Puts a question. */
void sl_ask(struct sl *l, uint8_t method, uint16_t attr_id, uint64_t about);
/* Runs until the next result. */
struct weft_sa_result sl_result(struct sl *l);
/* Runs until a time. */
void sl_run(struct sl *l, weft_time until);
/* The SA sends a Report with this trap number. */
void sl_report(struct sl *l, uint16_t trap);
/* It sends the last one again, as if its answer had been lost. */
void sl_report_again(struct sl *l);

#endif
