#ifndef THING_H
#define THING_H

/* The larger. */
#define LARGER(a, b) \
	((a) > (b) ? (a) : (b))
#define SIZE 16 /* bytes */

#ifdef __cplusplus
extern "C" {
#endif

int always(void);

#if defined(FAST)
static int how(void) { return 1; }
#elif defined(SLOW)
static int how(void) { return 2; }
#else
static int how(void) { return 3; }
#endif

#ifdef __cplusplus
}
#endif

#endif
