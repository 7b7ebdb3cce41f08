// Package wit has the types of WIT that Go does not have, and the memory that a call passes between a plugin and its host.
package wit

import (
	"runtime"
	"unsafe"
)

// Unit is the value of a case without a value.
type Unit struct{}

// Tuple2 is a pair.
type Tuple2[A, B any] struct {
	F0 A
	F1 B
}

// Option is a value or none.
type Option[T any] struct {
	value T
	some  bool
}

// Some is an option with a value.
func Some[T any](value T) Option[T] { return Option[T]{value, true} }

// None is an option without a value.
func None[T any]() Option[T] { return Option[T]{} }

// Value is the value, and whether there is one.
func (option Option[T]) Value() (T, bool) { return option.value, option.some }

// The tags of a result.
const (
	ResultOk  uint8 = 0
	ResultErr uint8 = 1
)

// Result is an answer or an error.
type Result[T, E any] struct {
	tag    uint8
	answer T
	err    E
}

// Ok is an answer.
func Ok[T, E any](answer T) Result[T, E] { return Result[T, E]{tag: ResultOk, answer: answer} }

// Err is an error.
func Err[T, E any](err E) Result[T, E] { return Result[T, E]{tag: ResultErr, err: err} }

// Tag is ResultOk or ResultErr.
func (result Result[T, E]) Tag() uint8 { return result.tag }

// Ok is the answer, and the zero value of an error.
func (result Result[T, E]) Ok() T { return result.answer }

// Err is the error, and the zero value of an answer.
func (result Result[T, E]) Err() E { return result.err }

// Allocate returns memory that stays in its place until the pinner lets go of it. The generated code calls it before it
// passes anything to the host, so everything that the host passed earlier has been read.
func Allocate(pinner *runtime.Pinner, size, align uintptr) unsafe.Pointer {
	Unpin()
	return allocate(pinner, size)
}

// Words of eight bytes are aligned for every type of WIT. One more gives an empty list a place.
func allocate(pinner *runtime.Pinner, size uintptr) unsafe.Pointer {
	words := make([]uint64, (size+7)/8+1)
	memory := unsafe.Pointer(unsafe.SliceData(words))
	pinner.Pin(memory)
	return memory
}

// What the host has passed stays in its place until it is read.
var passed runtime.Pinner

// Unpin lets go of what the host has passed.
func Unpin() { passed.Unpin() }

//go:wasmexport cabi_realloc
func allocateForHost(old unsafe.Pointer, oldSize, align, size uint32) unsafe.Pointer {
	memory := allocate(&passed, uintptr(size))
	if old != nil {
		copy(unsafe.Slice((*byte)(memory), size), unsafe.Slice((*byte)(old), oldSize))
	}
	return memory
}
