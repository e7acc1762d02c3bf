//go:build linux

package p

// Alone is documented.
const Alone = 1

const (
	// First of the group.
	First = iota // behind
	Second

	Third, Fourth = 3, 4
)

var (
	_ Iface = (*T)(nil)
	_ Iface = T{}
)
var (
	only = map[string]int{
		"a": 1,
	}
)
var x, y int
var z = 1; var w = 2

type (
	// A is one.
	A = B
	// I is an interface.
	I interface {
		// M is a method.
		M(a int) error
		Embedded
		~int | ~string
	}
	F func(a int) error
)
type Only interface{}
