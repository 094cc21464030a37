/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What two peers agree on, rule by rule: one row for each. */
#include "core/siw/negotiate.h"
#include "siw_connection_fixture.h"

#define OK        WEFT_IWCM_OK
#define BAD_PARAM WEFT_IWCM_BAD_PARAM
#define PROTOCOL  WEFT_IWCM_PROTOCOL
#define NEG       MPA_READS_NONE
#define W         MPA_RTR_WRITE
#define R         MPA_RTR_READ
#define S         MPA_RTR_SEND

enum mode {
    RELAXED,
    STRICT
};

static struct weft_siw_config config(enum mode mode)
{
    struct weft_siw_config c = WEFT_SIW_CONFIG_INIT;

    c.strict_reads = mode == STRICT;
    return c;
}

/* A frame of revision 2. A goes with a set of ready-to-receive frames. */
static struct mpa_frame frame(bool reply, uint16_t ird, uint16_t ord, uint8_t rtr)
{
    return (struct mpa_frame){.reply = reply,
                              .enhanced = true,
                              .revision = 2,
                              .peer_to_peer = rtr != 0,
                              .rtr = rtr,
                              .ird = ird,
                              .ord = ord};
}

/* What an initiator makes of the reads in a reply. */
static const struct {
    enum mode mode;
    uint16_t ird, ord;             /* our request's */
    uint16_t reply_ird, reply_ord; /* the responder's */
    enum weft_iwcm_status status;
    uint16_t terminate;
    uint16_t want_ird, want_ord;
} replies[] = {
    /* what it has out we serve, what it serves we have out: not the other way round */
    {RELAXED, 4, 8, 8, 4, OK, 0, 4, 8},
    {RELAXED, 4, 8, 3, 2, OK, 0, 2, 3},
    {STRICT, 4, 3, 3, 4, OK, 0, 4, 3},
    /* our ORD is never raised */
    {RELAXED, 4, 8, 100, 4, OK, 0, 4, 8},
    {RELAXED, 4, 8, 0, 0, OK, 0, 0, 0},
    {RELAXED, 0, 0, 5, 0, OK, 0, 0, 0},
    /* it has more out than we said */
    {RELAXED, 1, 1, 1, 128, OK, 0, 128, 1},
    {RELAXED, 1, 1, 1, 129, PROTOCOL, TERMINATE_IRD, 0, 0},
    {STRICT, 1, 1, 1, 2, PROTOCOL, TERMINATE_IRD, 0, 0},
    /* it serves fewer than we asked for */
    {RELAXED, 1, 9, 8, 1, OK, 0, 1, 8},
    {STRICT, 1, 9, 8, 1, PROTOCOL, TERMINATE_IRD, 0, 0},
    {STRICT, 1, 9, 9, 1, OK, 0, 1, 9},
    /* not negotiated */
    {STRICT, 7, 9, NEG, NEG, OK, 0, 7, 9},
    {RELAXED, 7, 9, 2, NEG, OK, 0, 7, 2},
    {RELAXED, 7, 9, NEG, 2, OK, 0, 2, 9},
};

static void test_reads_of_an_initiator(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(replies); i++) {
        struct weft_siw_config c = config(replies[i].mode);
        struct mpa_frame request = frame(false, replies[i].ird, replies[i].ord, 0);
        struct mpa_frame reply = frame(true, replies[i].reply_ird, replies[i].reply_ord, 0);
        struct reply_outcome got;

        negotiate_reply(&c, &request, MPA_WHOLE, &reply, &got);
        assert_int_equal(got.status, replies[i].status);
        assert_int_equal(got.terminate, replies[i].terminate);
        if (got.status != OK)
            continue;
        assert_int_equal(got.terms.ird, replies[i].want_ird);
        assert_int_equal(got.terms.ord, replies[i].want_ord);
        assert_true(got.terms.initiator && got.terms.enhanced);
    }
}

/* Which frame an initiator begins with: what the reply chose, of what the request offered. */
static const struct {
    uint8_t offer, chosen; /* chosen 0: A is not echoed */
    uint16_t ord;
    enum weft_iwcm_status status;
    uint8_t want;
} rtrs[] = {
    {W | R | S, W, 1, OK, W},
    {W | R | S, R, 1, OK, R},
    {W | R | S, S, 1, OK, S},
    /* not our favorite, the reply's */
    {W | R, R, 1, OK, R},
    {W | R, W | R, 1, OK, W},
    {R | S, W | R | S, 1, OK, R},
    {S, W | R | S, 0, OK, S},
    {W, R, 1, PROTOCOL, 0},
    {R, W, 1, PROTOCOL, 0},
    {S, W | R, 1, PROTOCOL, 0},
    /* a Read needs a read to have out */
    {W | R, R, 0, PROTOCOL, 0},
    /* the peer knows no peer-to-peer mode: client-server */
    {W | R | S, 0, 1, OK, 0},
    /* we asked for none */
    {0, W, 1, OK, 0},
};

static void test_ready_to_receive_frame_of_an_initiator(void **state)
{
    struct weft_siw_config c = config(RELAXED);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rtrs); i++) {
        struct mpa_frame request = frame(false, 1, rtrs[i].ord, rtrs[i].offer);
        struct mpa_frame reply = frame(true, 1, 1, rtrs[i].chosen);
        struct reply_outcome got;

        negotiate_reply(&c, &request, MPA_WHOLE, &reply, &got);
        assert_int_equal(got.status, rtrs[i].status);
        assert_int_equal(got.terminate, rtrs[i].status == OK ? 0 : TERMINATE_RTR);
        if (got.status != OK)
            continue;
        assert_int_equal(got.terms.rtr, rtrs[i].want);
        assert_int_equal(got.terms.peer_to_peer, rtrs[i].want != 0);
    }
}

/* A with no frame named is no choice. */
static void test_a_reply_with_A_alone_matches_nothing(void **state)
{
    struct weft_siw_config c = config(RELAXED);
    struct mpa_frame request = frame(false, 1, 1, W), reply = frame(true, 1, 1, 0);
    struct reply_outcome got;

    (void)state;
    reply.peer_to_peer = true;
    negotiate_reply(&c, &request, MPA_WHOLE, &reply, &got);
    assert_int_equal(got.terminate, TERMINATE_RTR);
}

static void test_CRC_is_used_when_either_side_wants_it(void **state)
{
    static const struct {
        enum weft_siw_crc own;
        bool peer;
        enum weft_iwcm_status status; /* of an initiator */
        bool want;
    } rows[] = {
        {WEFT_SIW_CRC_OFF, false, OK, false},
        {WEFT_SIW_CRC_OFF, true, OK, true},
        {WEFT_SIW_CRC_ON, false, OK, true},
        {WEFT_SIW_CRC_ON, true, OK, true},
        {WEFT_SIW_CRC_REQUIRED, true, OK, true},
        {WEFT_SIW_CRC_REQUIRED, false, WEFT_IWCM_REFUSED, true},
    };
    struct weft_iwcm_param p = lab_param(1, 1);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_siw_config c = config(RELAXED);
        struct mpa_frame request, reply = frame(true, 1, 1, 0), answer;
        struct reply_outcome got;
        struct terms t;

        c.crc = rows[i].own;
        assert_int_equal(negotiate_request(&c, &p, &request), OK);
        assert_int_equal(request.crc, rows[i].own != WEFT_SIW_CRC_OFF);
        reply.crc = rows[i].peer;
        negotiate_reply(&c, &request, MPA_WHOLE, &reply, &got);
        assert_int_equal(got.status, rows[i].status);
        assert_int_equal(got.terms.crc, rows[i].want);
        /* and as responder: the peer's C is echoed, our own is said */
        request.crc = rows[i].peer;
        assert_int_equal(negotiate_accept(&c, &request, &p, &answer, &t), OK);
        assert_int_equal(answer.crc, rows[i].want);
        assert_int_equal(t.crc, rows[i].want);
    }
}

/* What a request says, as far as our config allows it. */
static const struct {
    uint16_t ird, ord; /* the peer's */
    bool enhanced;
    uint16_t want_ird, want_ord;
} asks[] = {
    {1, 1, true, 1, 1},          {3, 5, true, 5, 3},        {0, 0, true, 0, 0},
    {200, 16382, true, 128, 64}, {NEG, NEG, true, 128, 64}, {0, 0, false, 128, 64},
};

static void test_reads_that_a_request_allows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(asks); i++) {
        struct weft_siw_config c = config(RELAXED);
        struct mpa_frame request = frame(false, asks[i].ird, asks[i].ord, 0);
        uint16_t ird = 0, ord = 0;

        c.ord_max = 64;
        request.enhanced = asks[i].enhanced;
        assert_int_equal(negotiate_incoming(&c, MPA_WHOLE, &request, &ird, &ord), REQUEST_ASK);
        assert_int_equal(ird, asks[i].want_ird);
        assert_int_equal(ord, asks[i].want_ord);
    }
}

/* What a responder answers when its client accepts. */
static const struct {
    enum mode mode;
    uint16_t peer_ird, peer_ord; /* the request's */
    uint16_t ird, ord;           /* the client's */
    enum weft_iwcm_status status;
    uint16_t reply_ird, reply_ord;
    uint16_t want_ird, want_ord;
} accepts[] = {
    {RELAXED, 4, 6, 6, 4, OK, 6, 4, 6, 4},
    /* the client may have fewer out, but not more than the peer serves */
    {RELAXED, 4, 6, 6, 1, OK, 6, 1, 6, 1},
    {RELAXED, 4, 6, 6, 9, OK, 6, 4, 6, 4},
    {STRICT, 4, 6, 6, 9, BAD_PARAM, 0, 0, 0, 0},
    /* it serves what the peer has out, if it can */
    {RELAXED, 4, 6, 2, 4, OK, 6, 4, 6, 4},
    {RELAXED, 4, 6, 9, 4, OK, 9, 4, 9, 4},
    {RELAXED, 4, 500, 2, 4, OK, 128, 4, 128, 4},
    {STRICT, 4, 6, 2, 4, BAD_PARAM, 0, 0, 0, 0},
    {STRICT, 4, 6, 6, 4, OK, 6, 4, 6, 4},
    /* more than the config */
    {RELAXED, 4, 6, 129, 4, BAD_PARAM, 0, 0, 0, 0},
    {RELAXED, 400, 6, 6, 129, BAD_PARAM, 0, 0, 0, 0},
    /* who does not negotiate gets no numbers */
    {STRICT, NEG, NEG, 5, 7, OK, NEG, NEG, 5, 7},
    {RELAXED, 4, NEG, 5, 7, OK, NEG, 4, 5, 4},
    {RELAXED, NEG, 6, 5, 7, OK, 6, NEG, 6, 7},
};

static void test_reads_of_a_responder(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(accepts); i++) {
        struct weft_siw_config c = config(accepts[i].mode);
        struct mpa_frame request = frame(false, accepts[i].peer_ird, accepts[i].peer_ord, 0);
        struct weft_iwcm_param p = lab_param(accepts[i].ird, accepts[i].ord);
        struct mpa_frame reply;
        struct terms t;

        assert_int_equal(negotiate_accept(&c, &request, &p, &reply, &t), accepts[i].status);
        if (accepts[i].status != OK)
            continue;
        assert_true(reply.reply && reply.enhanced && !reply.rejected);
        assert_int_equal(reply.ird, accepts[i].reply_ird);
        assert_int_equal(reply.ord, accepts[i].reply_ord);
        assert_true(reply.ord <= request.ird);
        assert_int_equal(t.ird, accepts[i].want_ird);
        assert_int_equal(t.ord, accepts[i].want_ord);
        assert_false(t.initiator);
    }
}

static void test_ready_to_receive_frame_of_a_responder(void **state)
{
    static const struct {
        bool a;
        uint8_t offer;
        uint16_t ord; /* the initiator's */
        uint8_t want;
    } rows[] = {
        {true, W | R | S, 1, W},  {true, W, 0, W},     {true, R | S, 1, R}, {true, R, 1, R},
        {true, S, 1, S},          {true, R | S, 0, S}, {true, 0, 1, W},     {true, R, 0, W},
        {false, W | R | S, 1, 0}, {false, 0, 1, 0},
    };
    struct weft_siw_config c = config(RELAXED);
    struct weft_iwcm_param p = lab_param(0, 0);

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct mpa_frame request = frame(false, 1, rows[i].ord, rows[i].offer), reply;
        struct terms t;

        request.peer_to_peer = rows[i].a;
        assert_int_equal(negotiate_accept(&c, &request, &p, &reply, &t), OK);
        assert_int_equal(reply.peer_to_peer, rows[i].a);
        assert_int_equal(reply.rtr, rows[i].want);
        assert_int_equal(t.rtr, rows[i].want);
    }
}

static void test_requests_judged(void **state)
{
    struct weft_siw_config c = config(RELAXED);
    struct mpa_frame f = frame(false, 1, 1, 0);
    uint16_t ird = 77, ord = 77;

    (void)state;
    assert_int_equal(negotiate_incoming(&c, MPA_BAD_LENGTH, &f, &ird, &ord), REQUEST_REJECT);
    f.markers = true;
    assert_int_equal(negotiate_incoming(&c, MPA_WHOLE, &f, &ird, &ord), REQUEST_REJECT);
    f.revision = 0;
    assert_int_equal(negotiate_incoming(&c, MPA_WHOLE, &f, &ird, &ord), REQUEST_DROP);
    f.revision = 3;
    assert_int_equal(negotiate_incoming(&c, MPA_WHOLE, &f, &ird, &ord), REQUEST_DROP);
    f = frame(true, 1, 1, 0);
    assert_int_equal(negotiate_incoming(&c, MPA_WHOLE, &f, &ird, &ord), REQUEST_DROP);
    assert_int_equal(ird, 77);
    assert_int_equal(ord, 77);
    /* R in a request and reserved bits mean nothing */
    f = frame(false, 1, 1, 0);
    f.rejected = true;
    f.reserved = 0x0F;
    assert_int_equal(negotiate_incoming(&c, MPA_WHOLE, &f, &ird, &ord), REQUEST_ASK);
}

static void test_private_data_leave_room_for_the_enhanced_data(void **state)
{
    static const uint8_t data[MPA_PRIVATE_MAX];
    static const struct {
        bool enhanced;
        uint16_t bytes;
        bool fits;
    } rows[] = {
        {true, 0, true},    {true, 251, true},  {true, 252, true},  {true, 508, true},
        {true, 509, false}, {true, 512, false}, {false, 509, true}, {false, 512, true},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_siw_config c = config(RELAXED);
        struct weft_iwcm_param p = {.private_data = data, .private_bytes = rows[i].bytes};
        enum weft_iwcm_status want = rows[i].fits ? OK : BAD_PARAM;
        struct mpa_frame request = frame(false, 1, 1, 0), f;
        uint8_t out[MPA_FRAME_MAX];
        struct terms t;

        c.mpa_revision = rows[i].enhanced ? 2 : 1;
        request.enhanced = rows[i].enhanced;
        assert_int_equal(negotiate_request(&c, &p, &f), want);
        assert_int_equal(negotiate_accept(&c, &request, &p, &f, &t), want);
        assert_int_equal(negotiate_reject(&request, data, rows[i].bytes, &f), rows[i].fits);
        assert_int_equal(f.private_bytes, rows[i].fits ? rows[i].bytes : 0);
        assert_int_not_equal(mpa_frame_build(&f, out), 0);
    }
}

static void test_a_request_says_what_the_config_and_the_client_want(void **state)
{
    static const struct {
        uint8_t revision, rtr;
        uint16_t ird, ord;
        bool markers;
        enum weft_iwcm_status status;
        uint8_t want_rtr;
    } rows[] = {
        {2, 0, 1, 2, false, OK, 0},          {2, W | R | S, 1, 2, true, OK, W | R | S},
        {1, W, 1, 2, false, OK, 0},          {1, 0, 1, 2, true, OK, 0},
        {2, W | R, 1, 0, false, OK, W},      {2, R, 1, 0, false, BAD_PARAM, 0},
        {2, 0, 128, 128, false, OK, 0},      {2, 0, 129, 1, false, BAD_PARAM, 0},
        {2, 0, 1, 129, false, BAD_PARAM, 0},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_siw_config c = config(RELAXED);
        struct weft_iwcm_param p = lab_param(rows[i].ird, rows[i].ord);
        struct mpa_frame f;

        c.mpa_revision = rows[i].revision;
        c.rtr = rows[i].rtr;
        c.markers = rows[i].markers;
        assert_int_equal(negotiate_request(&c, &p, &f), rows[i].status);
        if (rows[i].status != OK)
            continue;
        assert_int_equal(f.revision, rows[i].revision);
        assert_int_equal(f.enhanced, rows[i].revision == 2);
        assert_int_equal(f.markers, rows[i].markers);
        assert_int_equal(f.rtr, rows[i].want_rtr);
        assert_int_equal(f.peer_to_peer, rows[i].want_rtr != 0);
        assert_int_equal(f.ird, rows[i].ird);
        assert_int_equal(f.ord, rows[i].ord);
        assert_false(f.reply || f.rejected);
    }
}

/* MULPDU = EMSS - (6 + EMSS mod 4) */
static void test_ulpdu_max(void **state)
{
    static const struct {
        uint32_t segment, mss;
        uint16_t want;
    } rows[] = {
        {0, 1460, 1454},    {0, 1448, 1442},  {0, 1447, 1438},   {0, 0, 1454},
        {0, 1, 122},        {0, 128, 122},    {0, 65483, 65474}, {0, 1000000, 65526},
        {1024, 1460, 1018}, {131, 1460, 122}, {65536, 0, 65526},
    };

    (void)state;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        struct weft_siw_config c = config(RELAXED);

        c.segment_bytes = rows[i].segment;
        assert_int_equal(negotiate_ulpdu_max(&c, rows[i].mss), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_of_an_initiator),
        cmocka_unit_test(test_ready_to_receive_frame_of_an_initiator),
        cmocka_unit_test(test_a_reply_with_A_alone_matches_nothing),
        cmocka_unit_test(test_CRC_is_used_when_either_side_wants_it),
        cmocka_unit_test(test_reads_that_a_request_allows),
        cmocka_unit_test(test_reads_of_a_responder),
        cmocka_unit_test(test_ready_to_receive_frame_of_a_responder),
        cmocka_unit_test(test_requests_judged),
        cmocka_unit_test(test_private_data_leave_room_for_the_enhanced_data),
        cmocka_unit_test(test_a_request_says_what_the_config_and_the_client_want),
        cmocka_unit_test(test_ulpdu_max),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
