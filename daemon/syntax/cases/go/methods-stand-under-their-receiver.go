// Package p does it.
package p

import (
	"fmt"
)

// T is a type.
type T struct {
	// A is a field.
	A, B int `json:"a"` // behind
	*Embedded
	pkg.Other
	inner struct {
		deep string
	}
}

// M does.
func (t *T) M() error {
	return nil
}

func (T) Unnamed() {}

type List[E any] struct{ head *E }

func (l *List[E]) Push(e E) { l.head = &e } // behind

func (Unknown) Elsewhere() {}

func init() {
	fmt.Println(1)
}

func init() {}

//go:noinline
func external(a int) int

func generic[K comparable, V any](m map[K]V) {
	type local struct{ x int }
	var notListed = 1
	const alsoNot = 2
	f := func() { type deeper int }
}
