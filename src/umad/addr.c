/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The header in front of a MAD: its size, its address, its status. */
#include <infiniband/umad.h>
#include <string.h>

/* The header with the P_Key index is the only one there is here, before and after umad_init(). */
size_t umad_size(void)
{
    return sizeof(struct ib_user_mad);
}

void *umad_get_mad(void *umad)
{
    return ((struct ib_user_mad *)umad)->data;
}

int umad_status(void *umad)
{
    return (int)((struct ib_user_mad *)umad)->status;
}

ib_mad_addr_t *umad_get_mad_addr(void *umad)
{
    return &((struct ib_user_mad *)umad)->addr;
}

int umad_set_grh(void *umad, void *mad_addr)
{
    ib_mad_addr_t *to = umad_get_mad_addr(umad);
    const ib_mad_addr_t *from = mad_addr;

    to->grh_present = from != NULL;
    if (!from)
        return 0;
    memcpy(to->gid, from->gid, sizeof(to->gid));
    to->flow_label = htonl(from->flow_label);
    to->hop_limit = from->hop_limit;
    to->traffic_class = from->traffic_class;
    return 0;
}

int umad_set_pkey(void *umad, int pkey_index)
{
    umad_get_mad_addr(umad)->pkey_index = (uint16_t)pkey_index;
    return 0;
}

int umad_get_pkey(void *umad)
{
    return umad_get_mad_addr(umad)->pkey_index;
}

int umad_set_addr_net(void *umad, __be16 dlid, __be32 dqp, int sl, __be32 qkey)
{
    ib_mad_addr_t *to = umad_get_mad_addr(umad);

    to->qpn = dqp;
    to->lid = dlid;
    to->qkey = qkey;
    to->sl = (uint8_t)sl;
    return 0;
}

int umad_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
    return umad_set_addr_net(umad, htons((uint16_t)dlid), htonl((uint32_t)dqp), sl,
                             htonl((uint32_t)qkey));
}
