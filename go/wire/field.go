// Package wire has what the types of all protocols share: members that may be absent or null, what a
// type does not declare, and values of several types.
package wire

import (
	"encoding/json"
	"strconv"
)

// State says how a member is present.
type State uint8

const (
	// Absent: the object does not have the member.
	Absent State = iota
	// Null: the member is null.
	Null
	// Present: the member has a value.
	Present
)

// Field is a member that may be absent or null. Its zero value is absent.
type Field[T any] struct {
	// State says whether Value counts.
	State State

	// Value is the value, if there is one.
	Value T
}

// Some makes a member with a value.
func Some[T any](value T) Field[T] {
	return Field[T]{State: Present, Value: value}
}

// NullOf makes a member that is null.
func NullOf[T any]() Field[T] {
	return Field[T]{State: Null}
}

// Get returns the value, and whether there is one.
func (f Field[T]) Get() (T, bool) {
	return f.Value, f.State == Present
}

// Member is a member as it was written.
type Member struct {
	// Name is its name.
	Name string

	// Value is its value.
	Value json.RawMessage
}

// Rest has what an object had and its type does not hold.
type Rest struct {
	// Extra has the members that the type does not declare, and those that are not of the declared
	// type. They are written again, unless the member was set since.
	Extra []Member

	// Earlier has the values before the last one of members that were written several times.
	Earlier []Member

	// Missing names the members that the type requires and the object did not have.
	Missing []string
}

// Value is a value that may have several types.
type Value struct {
	// Raw is the value as it was written.
	Raw json.RawMessage
}

// ValueOf makes a value of what the value is in Go.
func ValueOf(value any) (Value, error) {
	raw, err := Encode(value)
	return Value{Raw: raw}, err
}

// Int makes a value of a number, such as the id of a request.
func Int(number int64) Value {
	return Value{Raw: strconv.AppendInt(nil, number, 10)}
}

// As reads a value as one of its types.
func As[T any](value Value) (T, error) {
	var out T
	err := Decode(value.Raw, &out)
	return out, err
}

// UnmarshalJSON keeps the value as it is.
func (v *Value) UnmarshalJSON(data []byte) error {
	v.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON writes the value as it was. Its zero value is none.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.Raw == nil {
		return nil, errUnset
	}
	return v.Raw, nil
}
