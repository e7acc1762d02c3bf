/* Licence. */

#include <stdio.h>

/* Twice. */
static inline int twice(int a)
{
	return a * 2;
}

char *copy(const char *from); /* to be freed */
int (*choose(int which))(int, int) { return 0; }
void (*handlers[3])(int) = { 0 };
int (wrapped)(void) { return 1; }

int old_style(a, b)
	int a;
	char *b;
{
	static int local;
	return a;
}

unsigned long long count, *counts, table[4] = { 1, 2 };
extern int printf_like(const char *format, ...);
API_FUNC(int) with_macro(void);
