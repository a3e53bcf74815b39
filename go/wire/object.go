package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
)

// unions has the reader of each union, by its interface.
var unions sync.Map

// Union says how a union is read. The packages of protocols call it when they are loaded.
func Union[T any](read func([]byte) (T, error)) {
	unions.Store(reflect.TypeFor[T](), func(data []byte) (any, error) { return read(data) })
}

// Check returns an error, which names the byte, unless the text is exactly one JSON value. White space
// may stand around the value.
func Check(data []byte) error {
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("not one JSON value: byte %d: %w", syntax.Offset, err)
	}
	return err
}

// Decode reads a value, which may contain unions. The text has to be exactly one JSON value.
func Decode(data []byte, into any) error {
	if err := Check(data); err != nil {
		return err
	}
	return decode(data, reflect.ValueOf(into).Elem())
}

// Encode writes a value.
func Encode(value any) ([]byte, error) {
	return encode(reflect.ValueOf(value))
}

// Tag returns a member of an object if it is a text. Of several members of the name it is the last.
func Tag(data []byte, name string) (string, bool) {
	members, err := split(data)
	if err != nil {
		return "", false
	}
	for index := len(members) - 1; index >= 0; index-- {
		if members[index].Name == name {
			var text string
			return text, json.Unmarshal(members[index].Value, &text) == nil
		}
	}
	return "", false
}

// Text returns a value if it is a text.
func Text(data []byte) (string, bool) {
	var text string
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte{'"'}) {
		return "", false
	}
	return text, json.Unmarshal(data, &text) == nil
}

// Has says whether an object has a member.
func Has(data []byte, name string) bool {
	members, _ := split(data)
	for _, member := range members {
		if member.Name == name {
			return true
		}
	}
	return false
}

// ReadObject reads an object into a struct whose fields name their members.
func ReadObject(data []byte, into any, rest *Rest) error {
	members, err := split(data)
	if err != nil {
		return err
	}
	value := reflect.ValueOf(into).Elem()
	last := map[string]int{}
	for index, member := range members {
		last[member.Name] = index
	}
	fields, read := fieldsOf(value.Type()), map[string]bool{}
	*rest = Rest{}
	for index, member := range members {
		if last[member.Name] != index {
			rest.Earlier = append(rest.Earlier, member)
			continue
		}
		field, known := fields.byName[member.Name]
		switch {
		case !known:
			rest.Extra = append(rest.Extra, member)
		case field.constant != "":
			if text, ok := Text(member.Value); !ok || text != field.constant {
				rest.Extra = append(rest.Extra, member)
			}
			read[member.Name] = true
		default:
			target := value.Field(field.index)
			fresh := reflect.New(target.Type()).Elem()
			if decode(member.Value, fresh) != nil {
				rest.Extra = append(rest.Extra, member)
			} else {
				target.Set(fresh)
			}
			read[member.Name] = true
		}
	}
	for _, field := range fields.all {
		if !read[field.name] && !field.optional {
			rest.Missing = append(rest.Missing, field.name)
		}
	}
	return nil
}

// WriteObject writes a struct whose fields name their members.
func WriteObject(from any, rest *Rest) ([]byte, error) {
	value := reflect.ValueOf(from)
	var out bytes.Buffer
	out.WriteByte('{')
	write := func(name string, raw []byte) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		key, _ := json.Marshal(name)
		out.Write(key)
		out.WriteByte(':')
		out.Write(raw)
	}
	for _, member := range rest.Earlier {
		write(member.Name, member.Value)
	}
	instead := map[string]json.RawMessage{}
	for _, member := range rest.Extra {
		instead[member.Name] = member.Value
	}
	missing := map[string]bool{}
	for _, name := range rest.Missing {
		missing[name] = true
	}
	for _, field := range fieldsOf(value.Type()).all {
		raw, replaced := instead[field.name]
		switch {
		case field.constant != "":
			if !replaced && !missing[field.name] {
				text, _ := json.Marshal(field.constant)
				write(field.name, text)
			}
			continue
		case value.Field(field.index).IsZero() && replaced:
			write(field.name, raw)
			delete(instead, field.name)
			continue
		case value.Field(field.index).IsZero() && (field.optional || missing[field.name]):
			continue
		}
		delete(instead, field.name)
		raw, err := encode(value.Field(field.index))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.name, err)
		}
		write(field.name, raw)
	}
	for _, member := range rest.Extra {
		if raw, left := instead[member.Name]; left {
			write(member.Name, raw)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// field is a field of a struct that is a member.
type field struct {
	name     string
	index    int
	optional bool
	constant string
}

type fields struct {
	all    []field
	byName map[string]field
}

var known sync.Map

// fieldsOf reads the tags of a struct once.
func fieldsOf(of reflect.Type) *fields {
	if found, ok := known.Load(of); ok {
		return found.(*fields)
	}
	out := &fields{byName: map[string]field{}}
	for index := range of.NumField() {
		tag, ok := of.Field(index).Tag.Lookup("wire")
		if !ok {
			continue
		}
		name, optional := strings.CutSuffix(tag, ",optional")
		found := field{name, index, optional, of.Field(index).Tag.Get("value")}
		out.all = append(out.all, found)
		out.byName[name] = found
	}
	known.Store(of, out)
	return out
}

// split returns the members of an object in order, with those that are written several times.
func split(data []byte) ([]Member, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	start, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if start != json.Delim('{') {
		return nil, fmt.Errorf("an object is expected")
	}
	var out []Member
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, err
		}
		out = append(out, Member{key.(string), raw})
	}
	if _, err = decoder.Token(); err != nil {
		return nil, err
	}
	if _, err = decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("only one value is expected")
	}
	return out, nil
}
