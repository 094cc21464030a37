/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/** @file
 * Where tests hold a thread up, so that others come in between. The product has none of it.
 */
#ifndef WEFT_IW_PAUSE_H
#define WEFT_IW_PAUSE_H

enum iw_point {
    IW_POINT_LOCK,     /* before the lock is taken */
    IW_POINT_UNLOCK,   /* before it is released */
    IW_POINT_UNLOCKED, /* after that */
    IW_POINT_WAKE,     /* before the worker is woken */
    IW_POINT_CALLBACK, /* before a callback */
    IW_POINT_CALLED,   /* after it */
    IW_POINTS
};

#ifdef WEFT_IW_PAUSES
/** Set before weft_iw_open(). */
extern void (*iw_pause)(enum iw_point point);
#define IW_PAUSE(point) iw_pause(point)
#else
#define IW_PAUSE(point) ((void)0)
#endif

#endif
