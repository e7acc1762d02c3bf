/* A node. */
typedef struct node {
	int value, *links;
	struct node *next;
	struct { int x; } at;
	union { int number; float real; };
	unsigned flag : 1; /* one bit */
	unsigned low : 4, high : 4;
	int (*compare)(const void *, const void *);
} Node, *NodePointer;

typedef int (*callback)(void *);
typedef unsigned int u32, u32_again;
typedef enum { OFF, ON = 1, } Switch;

struct plain {
	int a;
	struct inner { int b; } c;
};

enum colour {
	RED, /* warm */
	GREEN = 2,
};

union either { int i; char c; };
struct forward;
static struct { int hidden; } only = { 1 };
struct tagged { int q; } first, second;
