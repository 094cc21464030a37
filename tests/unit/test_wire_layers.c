/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which headers MADs of each kind consist of. */
#include "core/wire/mad_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ACTIVE WEFT_RMPP_FLAG_ACTIVE
#define FIRST  (WEFT_RMPP_FLAG_ACTIVE | WEFT_RMPP_FLAG_FIRST)

/* One MAD: class, attribute, RMPP type and flags; then the layers by name, the last with its
 * offset. */
static const struct layer_case {
    uint8_t mgmt_class;
    uint16_t attr_id;
    uint8_t type;
    uint8_t flags;
    const char *layers;
    size_t last_offset;
} cases[] = {
    {0x01, 0x0010, 0, 0, "mad smp", 0},
    {0x01, 0x0011, 0, 0, "mad smp node_info", 64},
    {0x01, 0x0012, 0, 0, "mad smp switch_info", 64},
    {0x01, 0x0015, 0, 0, "mad smp port_info", 64},
    {0x01, 0x0002, 0, 0, "mad smp notice", 64},
    {0x81, 0x0011, 0, 0, "mad smp smp_directed node_info", 64},
    {0x81, 0x0020, 0, 0, "mad smp smp_directed", 0},
    {0x03, 0x0035, 0, 0, "mad rmpp sa path_record", 56},
    {0x03, 0x0011, 0, 0, "mad rmpp sa node_record", 56},
    {0x03, 0x0001, 0, 0, "mad rmpp sa class_port_info", 56},
    {0x03, 0x0002, 0, 0, "mad rmpp sa notice", 56},
    {0x03, 0x0038, 0, 0, "mad rmpp sa mc_member_record", 56},
    {0x03, 0x0003, 0, 0, "mad rmpp sa inform_info", 56},
    {0x03, 0x0012, 0, 0, "mad rmpp sa port_info_record port_info", 60},
    {0x03, 0x0014, 0, 0, "mad rmpp sa switch_info_record switch_info", 60},
    {0x03, 0x0015, 0, 0, "mad rmpp sa lft_record", 56},
    {0x03, 0x0018, 0, 0, "mad rmpp sa sm_info_record", 56},
    {0x03, 0x0020, 0, 0, "mad rmpp sa link_record", 56},
    {0x03, 0x0031, 0, 0, "mad rmpp sa service_record", 56},
    {0x03, 0x0033, 0, 0, "mad rmpp sa pkey_record", 56},
    {0x03, 0x00F3, 0, 0, "mad rmpp sa inform_info_record inform_info", 80},
    {0x03, 0x0039, 0, 0, "mad rmpp sa", 0},
    {0x03, 0x0035, 1, FIRST, "mad rmpp sa path_record", 56},
    {0x03, 0x0035, 1, ACTIVE, "mad rmpp sa", 0},
    {0x03, 0x0035, 2, ACTIVE, "mad rmpp", 0},
    {0x03, 0x0035, 3, ACTIVE, "mad rmpp", 0},
    {0x03, 0x0035, 4, ACTIVE, "mad rmpp", 0},
    {0x03, 0x0035, 2, 0, "mad rmpp sa path_record", 56},
    {0x04, 0x0001, 0, 0, "mad class_port_info", 64},
    {0x04, 0x0012, 0, 0, "mad port_counters", 64},
    {0x04, 0x001D, 0, 0, "mad port_counters_extended", 64},
    {0x04, 0x0035, 0, 0, "mad", 0},
    {0x06, 0x0011, 0, 0, "mad rmpp", 0},
    {0x07, 0x0010, 0, 0, "mad", 0},
    {0x09, 0x0011, 0, 0, "mad", 0},
    {0x32, 0x0011, 0, 0, "mad rmpp vendor", 0},
    {0x32, 0x0011, 2, ACTIVE, "mad rmpp", 0},
    {0x00, 0x0011, 0, 0, "mad", 0},
    {0xFF, 0x0011, 0, 0, "mad", 0},
};

static void join_layers(const struct weft_wire_layer *layers, size_t count, char *out, size_t cap)
{
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            strncat(out, " ", cap - strlen(out) - 1);
        strncat(out, weft_wire_header_name(layers[i].header), cap - strlen(out) - 1);
    }
}

static void test_layers_of_each_kind_of_mad(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t mad[WEFT_MAD_BYTES] = {0};
        struct weft_wire_layer layers[WEFT_WIRE_LAYERS_MAX];
        char names[128];

        mad_set_class(mad, cases[i].mgmt_class);
        mad_set_attr_id(mad, cases[i].attr_id);
        rmpp_set_type(mad, cases[i].type);
        rmpp_set_flags(mad, cases[i].flags);
        size_t count = weft_wire_layers(mad, sizeof(mad), layers);
        join_layers(layers, count, names, sizeof(names));
        assert_string_equal(names, cases[i].layers);
        assert_int_equal(layers[count - 1].offset, cases[i].last_offset);
    }
}

static void test_no_mad_has_more_layers_than_promised(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_BYTES] = {0};

    for (unsigned int mgmt_class = 0; mgmt_class < 256; mgmt_class++) {
        for (unsigned int attr_id = 0; attr_id < 256; attr_id++) {
            struct weft_wire_layer layers[WEFT_WIRE_LAYERS_MAX];

            mad_set_class(mad, (uint8_t)mgmt_class);
            mad_set_attr_id(mad, (uint16_t)attr_id);
            assert_in_range(weft_wire_layers(mad, sizeof(mad), layers), 1, WEFT_WIRE_LAYERS_MAX);
        }
    }
}

static void test_what_is_shorter_than_a_header_has_no_layers(void **state)
{
    (void)state;
    uint8_t mad[WEFT_MAD_HEADER_BYTES] = {0};
    struct weft_wire_layer layers[WEFT_WIRE_LAYERS_MAX];

    mad_set_class(mad, WEFT_CLASS_SUBN_ADM);
    assert_int_equal(weft_wire_layers(mad, sizeof(mad) - 1, layers), 0);
    assert_int_equal(weft_wire_layers(NULL, sizeof(mad), layers), 0);
    /* With nothing behind the common header, the RMPP flags must not be looked at. */
    assert_int_equal(weft_wire_layers(mad, sizeof(mad), layers), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_of_each_kind_of_mad),
        cmocka_unit_test(test_no_mad_has_more_layers_than_promised),
        cmocka_unit_test(test_what_is_shorter_than_a_header_has_no_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
