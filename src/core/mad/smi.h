/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The hop rules of directed-route SMPs (IBA 14.2.2): where a packet goes next, as pure functions.
 *
 * In the text P is the hop pointer, C the hop count, D the direction bit. An SMP is 256 bytes of
 * class 0x81. A discarded packet is left as it was.
 */
#ifndef WEFT_CORE_MAD_SMI_H
#define WEFT_CORE_MAD_SMI_H

#include <stdbool.h>
#include <stdint.h>

/** What becomes of a directed-route SMP. */
enum smi_verdict {
    SMI_DISCARD,          /**< it breaks a rule: drop it, no answer */
    SMI_TO_SMA,           /**< a request that arrived: give it to the agent of this node */
    SMI_TO_SM,            /**< a response that arrived: give it to the manager on this node */
    SMI_FORWARD_PORT,     /**< the next hop: send it out of `port`, permissive LIDs */
    SMI_FORWARD_LID,      /**< the directed part ends here: route it to `dlid` by the LFT */
    SMI_SEND_AS_ADDRESSED /**< sender only: it starts LID routed, to the LID the client gave */
};

/** A verdict with its destination. */
struct smi_decision {
    enum smi_verdict verdict;
    uint8_t port;  /**< SMI_FORWARD_PORT: 1 to the port count */
    uint16_t dlid; /**< SMI_FORWARD_LID: DrDLID of a request, DrSLID of a response */
};

/** The node that decides. A router follows the rules of a CA: it forwards nothing. */
struct smi_node {
    bool is_switch;
    uint8_t port_count; /**< external ports, 0..254 */
};

/** The node that the engine runs on: a CA, which looks at no port number beyond its own. */
extern const struct smi_node smi_own_node;

/** A request or response leaves the node that made it: the SM, or the SMA that answers.
 * @param smp   the packet; its hop pointer moves
 * @param port  CA: the port it is to leave by, which the path must name. Switch: not looked at, its
 *              SMI reaches every port
 * @return where it goes; SMI_TO_SMA and SMI_TO_SM mean that it never touches the wire */
struct smi_decision smi_send(uint8_t *smp, const struct smi_node *node, uint8_t port);

/** A packet arrives.
 * @param smp   the packet; its hop pointer moves and its return path is recorded
 * @param port  the port it came in by (a switch's 0 when it was LID routed to the switch)
 * @return where it goes */
struct smi_decision smi_receive(uint8_t *smp, const struct smi_node *node, uint8_t port);

/** Makes the response of a Get or Set in place: GetResp, the status, in class 0x81 the D bit.
 * Paths, hop count, hop pointer and attribute data stay (IBA 14.2.2.3).
 * @param smp     an SMP of class 0x01 or 0x81
 * @param status  status, 15 bits */
void smi_build_response(uint8_t *smp, uint16_t status);

#endif
