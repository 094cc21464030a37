/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * The management wire protocols (IBA volume 1, chapters 13 to 16): their numbers, access to every
 * header field by one table, and dumps as text and JSON.
 *
 * Nothing here keeps state or memory. Buffers are bytes as on the wire, at any alignment; values
 * are in host order. A buffer may be shorter than its header: nothing beyond `len` is ever touched.
 */
#ifndef WEFT_WIRE_H
#define WEFT_WIRE_H

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The only base version of MADs (IBA 13.4.3). */
#define WEFT_MAD_BASE_VERSION 1

/** Sizes in bytes that all MADs share (IBA 13.4.2, 13.6). */
enum weft_mad_size {
    WEFT_MAD_BYTES = 256,            /**< a MAD on the wire, always */
    WEFT_MAD_HEADER_BYTES = 24,      /**< the common header */
    WEFT_RMPP_HEADER_BYTES = 12,     /**< the RMPP header behind it, in classes that have one */
    WEFT_RMPP_DATA_OFFSET = 36,      /**< where the payload that RMPP counts begins */
    WEFT_RMPP_SEGMENT_BYTES = 220,   /**< payload of one segment, class header included */
    WEFT_ATTRIBUTE_OFFSET = 64,      /**< attribute data of an SMP and of a PM MAD */
    WEFT_SA_DATA_OFFSET = 56,        /**< attribute data of an SA MAD */
    WEFT_ATTRIBUTE_BYTES = 64,       /**< attribute data of an SMP */
    WEFT_DIRECTED_PATH_BYTES = 64,   /**< initial path and return path of a directed-route SMP */
    WEFT_DIRECTED_HOP_COUNT_MAX = 63 /**< links a directed route can name */
};

/** Management classes (IBA 13.4.4). */
enum weft_class {
    WEFT_CLASS_SUBN_LID = 0x01,      /**< subnet management, routed by LID */
    WEFT_CLASS_SUBN_ADM = 0x03,      /**< subnet administration (SA) */
    WEFT_CLASS_PERF = 0x04,          /**< performance management (PMA) */
    WEFT_CLASS_BOARD = 0x05,         /**< baseboard management */
    WEFT_CLASS_DEVICE = 0x06,        /**< device management */
    WEFT_CLASS_CM = 0x07,            /**< communication management */
    WEFT_CLASS_SNMP = 0x08,          /**< SNMP tunnelling */
    WEFT_CLASS_VENDOR1_FIRST = 0x09, /**< first vendor class without an OUI */
    WEFT_CLASS_VENDOR1_LAST = 0x0F,  /**< last vendor class without an OUI */
    WEFT_CLASS_DEVICE_ADM = 0x10,    /**< device administration */
    WEFT_CLASS_BOOT = 0x11,          /**< boot management */
    WEFT_CLASS_BIS = 0x12,           /**< boot information service */
    WEFT_CLASS_CONGESTION = 0x21,    /**< congestion management */
    WEFT_CLASS_VENDOR2_FIRST = 0x30, /**< first vendor class with an OUI */
    WEFT_CLASS_VENDOR2_LAST = 0x4F,  /**< last vendor class with an OUI */
    WEFT_CLASS_SUBN_DIRECTED = 0x81  /**< subnet management, directed route */
};

/** Methods (IBA 13.4.5, 15.2.2). The top bit R marks an answer. */
enum weft_method {
    WEFT_METHOD_GET = 0x01,             /**< read an attribute */
    WEFT_METHOD_SET = 0x02,             /**< write an attribute, answered by GET_RESP */
    WEFT_METHOD_SEND = 0x03,            /**< one-way datagram (CM) */
    WEFT_METHOD_TRAP = 0x05,            /**< notice to the manager */
    WEFT_METHOD_REPORT = 0x06,          /**< notice forwarded to a subscriber */
    WEFT_METHOD_TRAP_REPRESS = 0x07,    /**< answer to TRAP; has no R bit */
    WEFT_METHOD_GET_TABLE = 0x12,       /**< SA: all records that match */
    WEFT_METHOD_GET_TRACE_TABLE = 0x13, /**< SA: the path, hop by hop */
    WEFT_METHOD_GET_MULTI = 0x14,       /**< SA: several paths at once */
    WEFT_METHOD_DELETE = 0x15,          /**< SA: remove a record */
    WEFT_METHOD_GET_RESP = 0x81,        /**< answer to GET and SET */
    WEFT_METHOD_REPORT_RESP = 0x86,     /**< answer to REPORT */
    WEFT_METHOD_GET_TABLE_RESP = 0x92,  /**< answer to GET_TABLE */
    WEFT_METHOD_GET_MULTI_RESP = 0x94,  /**< answer to GET_MULTI */
    WEFT_METHOD_DELETE_RESP = 0x95,     /**< answer to DELETE */
    WEFT_METHOD_RESPONSE = 0x80,        /**< the R bit itself */
    WEFT_METHOD_MASK = 0x7F             /**< the method without R */
};

/** The common part of the MAD status (IBA 13.4.7). BUSY and REDIRECT are single bits; the others
 * are the values of the three bits under WEFT_STATUS_FIELD_MASK. The upper byte belongs to the
 * class. */
enum weft_status {
    WEFT_STATUS_OK = 0x0000,                   /**< done */
    WEFT_STATUS_BUSY = 0x0001,                 /**< temporarily busy, the request was discarded */
    WEFT_STATUS_REDIRECT = 0x0002,             /**< ask where ClassPortInfo says */
    WEFT_STATUS_BAD_VERSION = 0x0004,          /**< base or class version not supported */
    WEFT_STATUS_BAD_METHOD = 0x0008,           /**< method not supported */
    WEFT_STATUS_BAD_METHOD_ATTRIBUTE = 0x000C, /**< attribute unknown, or not with this method */
    WEFT_STATUS_BAD_VALUE = 0x001C,            /**< a value in attribute or modifier is invalid */
    WEFT_STATUS_FIELD_MASK = 0x001C,           /**< where the BAD_ values stand */
    WEFT_STATUS_CLASS_MASK = 0x7F00, /**< class specific part (bit 15 is D in directed SMPs) */
    WEFT_STATUS_DIRECTION = 0x8000   /**< directed-route SMP: the D bit, set on the way back */
};

/** Class specific status of the SA, in the upper byte (IBA 15.2.5). */
enum weft_sa_status {
    WEFT_SA_STATUS_NO_RESOURCES = 0x0100,     /**< the SA ran out of something */
    WEFT_SA_STATUS_REQUEST_INVALID = 0x0200,  /**< the request makes no sense */
    WEFT_SA_STATUS_NO_RECORDS = 0x0300,       /**< nothing matches a GET */
    WEFT_SA_STATUS_TOO_MANY_RECORDS = 0x0400, /**< more than one match for a GET */
    WEFT_SA_STATUS_INVALID_GID = 0x0500,      /**< a GID is unknown */
    WEFT_SA_STATUS_INSUFFICIENT_COMPONENTS =
        0x0600,                                /**< the component mask lacks something needed */
    WEFT_SA_STATUS_DENIED = 0x0700,            /**< not allowed */
    WEFT_SA_STATUS_PRIORITY_SUGGESTED = 0x0800 /**< another service level is proposed */
};

/** Attribute ids. An id means something within its class only. */
enum weft_attribute {
    WEFT_ATTR_CLASS_PORT_INFO = 0x0001, /**< every GSI class */
    WEFT_ATTR_NOTICE = 0x0002,          /**< every class with traps */
    WEFT_ATTR_INFORM_INFO = 0x0003,     /**< SA: subscription */

    WEFT_ATTR_NODE_DESC = 0x0010,            /**< SM */
    WEFT_ATTR_NODE_INFO = 0x0011,            /**< SM */
    WEFT_ATTR_SWITCH_INFO = 0x0012,          /**< SM */
    WEFT_ATTR_GUID_INFO = 0x0014,            /**< SM */
    WEFT_ATTR_PORT_INFO = 0x0015,            /**< SM */
    WEFT_ATTR_PKEY_TABLE = 0x0016,           /**< SM */
    WEFT_ATTR_SL_TO_VL = 0x0017,             /**< SM */
    WEFT_ATTR_VL_ARBITRATION = 0x0018,       /**< SM */
    WEFT_ATTR_LINEAR_FORWARDING = 0x0019,    /**< SM */
    WEFT_ATTR_RANDOM_FORWARDING = 0x001A,    /**< SM */
    WEFT_ATTR_MULTICAST_FORWARDING = 0x001B, /**< SM */
    WEFT_ATTR_SM_INFO = 0x0020,              /**< SM */
    WEFT_ATTR_VENDOR_DIAG = 0x0030,          /**< SM */
    WEFT_ATTR_LED_INFO = 0x0031,             /**< SM */

    WEFT_ATTR_PM_PORT_COUNTERS = 0x0012,     /**< PM: 32-bit counters */
    WEFT_ATTR_PM_PORT_COUNTERS_EXT = 0x001D, /**< PM: 64-bit counters */

    WEFT_ATTR_SA_NODE_RECORD = 0x0011,        /**< SA */
    WEFT_ATTR_SA_PORT_INFO_RECORD = 0x0012,   /**< SA */
    WEFT_ATTR_SA_SL_TO_VL_RECORD = 0x0013,    /**< SA */
    WEFT_ATTR_SA_SWITCH_INFO_RECORD = 0x0014, /**< SA */
    WEFT_ATTR_SA_LFT_RECORD = 0x0015,         /**< SA */
    WEFT_ATTR_SA_MFT_RECORD = 0x0017,         /**< SA */
    WEFT_ATTR_SA_SM_INFO_RECORD = 0x0018,     /**< SA */
    WEFT_ATTR_SA_LINK_RECORD = 0x0020,        /**< SA */
    WEFT_ATTR_SA_GUID_INFO_RECORD = 0x0030,   /**< SA */
    WEFT_ATTR_SA_SERVICE_RECORD = 0x0031,     /**< SA */
    WEFT_ATTR_SA_PKEY_RECORD = 0x0033,        /**< SA */
    WEFT_ATTR_SA_PATH_RECORD = 0x0035,        /**< SA */
    WEFT_ATTR_SA_VL_ARB_RECORD = 0x0036,      /**< SA */
    WEFT_ATTR_SA_MC_MEMBER_RECORD = 0x0038,   /**< SA */
    WEFT_ATTR_SA_MULTI_PATH_RECORD = 0x003A,  /**< SA */
    WEFT_ATTR_SA_INFORM_INFO_RECORD = 0x00F3  /**< SA */
};

/** RMPP packet types (IBA 13.6.2.1). */
enum weft_rmpp_type {
    WEFT_RMPP_DATA = 1, /**< a segment */
    WEFT_RMPP_ACK = 2,  /**< acknowledgement and new window */
    WEFT_RMPP_STOP = 3, /**< the transfer ends for want of resources */
    WEFT_RMPP_ABORT = 4 /**< the transfer ends for an error */
};

/** RMPP version and flags (IBA 13.6.2.1). Without ACTIVE a MAD is an ordinary one. */
enum weft_rmpp_flags {
    WEFT_RMPP_VERSION = 1,             /**< the only version */
    WEFT_RMPP_FLAG_ACTIVE = 0x1,       /**< the RMPP header is in use */
    WEFT_RMPP_FLAG_FIRST = 0x2,        /**< first segment */
    WEFT_RMPP_FLAG_LAST = 0x4,         /**< last segment */
    WEFT_RMPP_FLAG_MASK = 0x7,         /**< all flags */
    WEFT_RMPP_RESP_TIME_UNKNOWN = 0x1F /**< RRespTime: no response time given */
};

/** RMPP status (IBA 13.6.2.1). STOP carries RESX, ABORT one of T2L to UNSPEC. */
enum weft_rmpp_status {
    WEFT_RMPP_STATUS_OK = 0,           /**< DATA and ACK */
    WEFT_RMPP_STATUS_RESX = 1,         /**< resources exhausted */
    WEFT_RMPP_STATUS_T2L = 118,        /**< total time too long */
    WEFT_RMPP_STATUS_BAD_LEN = 119,    /**< Last flag and PayloadLength disagree */
    WEFT_RMPP_STATUS_BAD_SEG = 120,    /**< First flag and SegmentNumber disagree */
    WEFT_RMPP_STATUS_BADT = 121,       /**< unknown type */
    WEFT_RMPP_STATUS_W2S = 122,        /**< NewWindowLast smaller than SegmentNumber */
    WEFT_RMPP_STATUS_S2B = 123,        /**< acknowledged segment was never allowed */
    WEFT_RMPP_STATUS_BAD_STATUS = 124, /**< a status that the type cannot have */
    WEFT_RMPP_STATUS_UNV = 125,        /**< version not supported */
    WEFT_RMPP_STATUS_TMR = 126,        /**< too many retries */
    WEFT_RMPP_STATUS_UNSPEC = 127      /**< anything else */
};

/** LIDs, queue pairs and keys with a meaning of their own (IBA 4.1.3, 10.2.4). */
enum weft_well_known {
    WEFT_LID_PERMISSIVE = 0xFFFF,      /**< accepted by any port; directed-route SMPs carry it */
    WEFT_LID_MULTICAST_FIRST = 0xC000, /**< below: unicast */
    WEFT_LID_MULTICAST_LAST = 0xFFFE,  /**< last multicast LID */
    WEFT_QP_SMI = 0,                   /**< SMPs */
    WEFT_QP_GSI = 1,                   /**< every other class */
    WEFT_PKEY_DEFAULT_FULL = 0xFFFF,   /**< default partition, full member */
    WEFT_PKEY_DEFAULT_LIMITED = 0x7FFF /**< default partition, limited member */
};

/** The Q_Key that every GSI packet carries (IBA 10.2.4); above the range of an enum. */
#define WEFT_QKEY_GSI UINT32_C(0x80010000)

/** The headers and attributes whose fields are known. The fields of the first six count from the
 * first byte of the MAD, those of the others from the first byte of the attribute or record. */
enum weft_wire_header {
    WEFT_WIRE_MAD,                /**< common header (IBA 13.4.2) */
    WEFT_WIRE_SMP,                /**< what every SMP adds (IBA 14.2.1.1) */
    WEFT_WIRE_SMP_DIRECTED,       /**< what a directed-route SMP adds (IBA 14.2.1.2) */
    WEFT_WIRE_RMPP,               /**< RMPP header (IBA 13.6.2.1) */
    WEFT_WIRE_SA,                 /**< SA header (IBA 15.2.1.1) */
    WEFT_WIRE_VENDOR,             /**< OUI of vendor range 2 (IBA 16.5) */
    WEFT_WIRE_NODE_INFO,          /**< NodeInfo (IBA 14.2.5.3) */
    WEFT_WIRE_SWITCH_INFO,        /**< SwitchInfo (IBA 14.2.5.4) */
    WEFT_WIRE_PORT_INFO,          /**< PortInfo (IBA 14.2.5.6) */
    WEFT_WIRE_NOTICE,             /**< Notice (IBA 13.4.8.2) */
    WEFT_WIRE_CLASS_PORT_INFO,    /**< ClassPortInfo (IBA 13.4.8.1) */
    WEFT_WIRE_PORT_COUNTERS,      /**< PortCounters (IBA 16.1.3.5) */
    WEFT_WIRE_PORT_COUNTERS_EXT,  /**< PortCountersExtended (IBA 16.1.4.11) */
    WEFT_WIRE_NODE_RECORD,        /**< NodeRecord (IBA 15.2.5.2) */
    WEFT_WIRE_PATH_RECORD,        /**< PathRecord (IBA 15.2.5.16) */
    WEFT_WIRE_MC_MEMBER_RECORD,   /**< MCMemberRecord (IBA 15.2.5.17) */
    WEFT_WIRE_LINK_RECORD,        /**< LinkRecord (IBA 15.2.5.13) */
    WEFT_WIRE_SERVICE_RECORD,     /**< ServiceRecord (IBA 15.2.5.14) */
    WEFT_WIRE_INFORM_INFO,        /**< InformInfo (IBA 13.4.8.3) */
    WEFT_WIRE_INFORM_INFO_RECORD, /**< what InformInfoRecord adds (IBA 15.2.5.12) */
    WEFT_WIRE_PORT_INFO_RECORD,   /**< what PortInfoRecord adds (IBA 15.2.5.3) */
    WEFT_WIRE_SWITCH_INFO_RECORD, /**< what SwitchInfoRecord adds (IBA 15.2.5.5) */
    WEFT_WIRE_LFT_RECORD,         /**< LinearForwardingTableRecord (IBA 15.2.5.6) */
    WEFT_WIRE_PKEY_RECORD,        /**< P_KeyTableRecord (IBA 15.2.5.11) */
    WEFT_WIRE_SM_INFO_RECORD,     /**< SMInfoRecord (IBA 15.2.5.10) */
    WEFT_WIRE_HEADER_COUNT        /**< how many there are */
};

/** The name of a header in dumps, for example "path_record".
 * @param header  the header
 * @return a constant string; "unknown" for a value outside the enum */
const char *weft_wire_header_name(enum weft_wire_header header);

/** Bytes from where the fields of a header count to its end, reserved ones included: a buffer of
 * that size has them all. Records in a table may stand further apart: the SA field "attr_offset"
 * says how far.
 * @param header  the header
 * @return the size; 0 for a value outside the enum */
size_t weft_wire_header_bytes(enum weft_wire_header header);

/** The name of a management class in messages, for example "SubnAdm".
 * @param mgmt_class  the class as in the MAD header
 * @return a constant string; "reserved" for a class that IBA does not define */
const char *weft_class_name(uint8_t mgmt_class);

/** Looks up a field by the name it has in dumps.
 * @param header  the header
 * @param name    the field, for example "dlid"; wire.md in share/doc/weft lists them all
 * @return the field, 0 or more, constant for one version of the library; or WEFT_ERR_NOTFOUND */
int weft_wire_find(enum weft_wire_header header, const char *name);

/** Reads a field of at most 64 bits.
 * @param field      from weft_wire_find()
 * @param buf        where the header's fields count from: the MAD, attribute or record
 * @param len        bytes at buf
 * @param ret_value  the value
 * @return 0; WEFT_ERR_INVALID: no such field, or it is an array (use weft_wire_get_bytes());
 *         WEFT_ERR_FORMAT: the field does not lie inside the buffer */
int weft_wire_get(int field, const void *buf, size_t len, uint64_t *ret_value);

/** Writes a field of at most 64 bits; bits beside it keep their values.
 * @param field  from weft_wire_find()
 * @param buf    where the header's fields count from: the MAD, attribute or record
 * @param len    bytes at buf
 * @param value  the value
 * @return 0; WEFT_ERR_INVALID: no such field, it is an array, or the value has more bits than it;
 *         WEFT_ERR_FORMAT: the field does not lie inside the buffer */
int weft_wire_set(int field, void *buf, size_t len, uint64_t value);

/** Reads an array (GID, path, string, notice details) as it stands on the wire.
 * @param field      from weft_wire_find()
 * @param buf        where the header's fields count from: the MAD, attribute or record
 * @param len        bytes at buf
 * @param out        where it goes
 * @param out_bytes  bytes at out, at least as many as the field has; what is left over is zeroed,
 * so that one byte more than a string field has makes a C string
 * @return 0; WEFT_ERR_INVALID: no such field, it is a number, or out is too small;
 *         WEFT_ERR_FORMAT: the field does not lie inside the buffer */
int weft_wire_get_bytes(int field, const void *buf, size_t len, void *out, size_t out_bytes);

/** Writes an array; what the value leaves of the field is zeroed.
 * @param field        from weft_wire_find()
 * @param buf          where the header's fields count from: the MAD, attribute or record
 * @param len          bytes at buf
 * @param value        the bytes, as on the wire
 * @param value_bytes  how many, at most as many as the field has
 * @return 0; WEFT_ERR_INVALID: no such field, it is a number, or the value is too long;
 *         WEFT_ERR_FORMAT: the field does not lie inside the buffer */
int weft_wire_set_bytes(int field, void *buf, size_t len, const void *value, size_t value_bytes);

/** Writes the fields of one header as text, a line "name: value" each.
 *
 * Counts, LIDs and codes are decimal; keys, ids, masks and QP numbers "0x" and all their digits;
 * GUIDs "0x" and 16 digits; GIDs eight groups of four; arrays two digits a byte. In strings, bytes
 * that are neither UTF-8 nor printable become a backslash, x and two digits. Fields outside the
 * buffer are left out, and a last line "truncated: true" says so.
 * @param header  the header
 * @param buf     where its fields count from: the MAD, attribute or record
 * @param len     bytes at buf
 * @param out     where the text goes; ends with a NUL unless cap is 0
 * @param cap     bytes at out
 * @return the length the whole text has, without the NUL; the text was cut if that is cap or more
 */
size_t weft_wire_text(enum weft_wire_header header, const void *buf, size_t len, char *out,
                      size_t cap);

/** Writes the fields of one header as one JSON object without line breaks.
 *
 * What weft_wire_text() prints as decimal is a JSON number when the field has at most 53 bits, else
 * a string of digits, since most readers lose precision above; everything else is a string. Fields
 * outside the buffer are left out and the member "truncated": true is added.
 * @param header  the header
 * @param buf     where its fields count from: the MAD, attribute or record
 * @param len     bytes at buf
 * @param out     where the text goes; ends with a NUL unless cap is 0
 * @param cap     bytes at out
 * @return the length the whole text has, without the NUL; the text was cut if that is cap or more
 */
size_t weft_wire_json(enum weft_wire_header header, const void *buf, size_t len, char *out,
                      size_t cap);

/** A header inside a MAD. */
struct weft_wire_layer {
    enum weft_wire_header header; /**< which one */
    size_t offset;                /**< the byte its fields count from */
};

/** The most layers a MAD has. */
#define WEFT_WIRE_LAYERS_MAX 5

/** Names the headers that a MAD consists of, as its class, attribute and RMPP type say. Attribute
 * data is a layer where it begins in this packet: in a multi-packet transfer only in the first
 * segment.
 * @param mad         the MAD
 * @param len         bytes at mad
 * @param ret_layers  receives up to WEFT_WIRE_LAYERS_MAX layers, outermost first
 * @return how many; 0 if the buffer is shorter than the common header */
size_t weft_wire_layers(const void *mad, size_t len,
                        struct weft_wire_layer ret_layers[WEFT_WIRE_LAYERS_MAX]);

/** Writes a whole MAD as text: the lines of weft_wire_text() for each layer, each name preceded by
 * its header's name and a point ("path_record.dlid: 7").
 * @param mad  the MAD
 * @param len  bytes at mad
 * @param out  where the text goes; ends with a NUL unless cap is 0
 * @param cap  bytes at out
 * @return the length the whole text has, without the NUL; the text was cut if that is cap or more.
 *         0: the buffer is shorter than the common header */
size_t weft_wire_mad_text(const void *mad, size_t len, char *out, size_t cap);

/** Writes a whole MAD as one JSON object: a member for each layer, named as its header, holding
 * what weft_wire_json() writes.
 * @param mad  the MAD
 * @param len  bytes at mad
 * @param out  where the text goes; ends with a NUL unless cap is 0
 * @param cap  bytes at out
 * @return the length the whole text has, without the NUL; the text was cut if that is cap or more.
 *         0: the buffer is shorter than the common header */
size_t weft_wire_mad_json(const void *mad, size_t len, char *out, size_t cap);

#ifdef __cplusplus
}
#endif

#endif
