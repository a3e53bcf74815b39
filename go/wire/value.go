package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// state is implemented by every Field.
type state interface {
	read([]byte) error
	write() ([]byte, error)
}

func (f *Field[T]) read(data []byte) error {
	if isNull(data) {
		*f = NullOf[T]()
		return nil
	}
	f.State = Present
	return decode(data, reflect.ValueOf(&f.Value).Elem())
}

func (f Field[T]) write() ([]byte, error) {
	if f.State != Present {
		return []byte("null"), nil
	}
	return encode(reflect.ValueOf(&f.Value).Elem())
}

// UnmarshalJSON reads a member that is there.
func (f *Field[T]) UnmarshalJSON(data []byte) error { return f.read(data) }

// MarshalJSON writes a member that is not absent.
func (f Field[T]) MarshalJSON() ([]byte, error) { return f.write() }

func isNull(data []byte) bool {
	return bytes.Equal(bytes.TrimSpace(data), []byte("null"))
}

// decode reads a value: as encoding/json does, but also unions, and null only where it may stand.
func decode(data []byte, into reflect.Value) error {
	if into.Kind() == reflect.Interface {
		read, ok := unions.Load(into.Type())
		if !ok {
			return fmt.Errorf("%s is not a union", into.Type())
		}
		found, err := read.(func([]byte) (any, error))(data)
		if err == nil {
			into.Set(reflect.ValueOf(found))
		}
		return err
	}
	if reader, ok := into.Addr().Interface().(json.Unmarshaler); ok {
		return reader.UnmarshalJSON(data)
	}
	if isNull(data) {
		return fmt.Errorf("null is not expected")
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return decode(data, into.Elem())
	case reflect.Slice:
		var parts []json.RawMessage
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		into.Set(reflect.MakeSlice(into.Type(), len(parts), len(parts)))
		for index, part := range parts {
			if err := decode(part, into.Index(index)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		into.Set(reflect.MakeMap(into.Type()))
		for key, part := range parts {
			value := reflect.New(into.Type().Elem()).Elem()
			if err := decode(part, value); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(key), value)
		}
		return nil
	default:
		return json.Unmarshal(data, into.Addr().Interface())
	}
}

// errUnset is the error of what has to be there and cannot be null, such as the params of a request.
var errUnset = errors.New("not set")

// encode writes a value: as encoding/json does, but an empty list is one, nil is an error, and no text
// is escaped more than it has to be.
func encode(value reflect.Value) ([]byte, error) {
	switch value.Kind() {
	case reflect.Invalid:
		return []byte("null"), nil
	case reflect.Interface, reflect.Pointer:
		if value.IsNil() {
			return nil, errUnset
		}
		return encode(value.Elem())
	}
	if writer, ok := value.Interface().(json.Marshaler); ok {
		return writer.MarshalJSON()
	}
	var out bytes.Buffer
	switch value.Kind() {
	case reflect.Slice:
		out.WriteByte('[')
		for index := range value.Len() {
			if index > 0 {
				out.WriteByte(',')
			}
			part, err := encode(value.Index(index))
			if err != nil {
				return nil, fmt.Errorf("%d: %w", index, err)
			}
			out.Write(part)
		}
		out.WriteByte(']')
		return out.Bytes(), nil
	case reflect.Map:
		parts := map[string]json.RawMessage{}
		for _, key := range value.MapKeys() {
			part, err := encode(value.MapIndex(key))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			parts[key.String()] = part
		}
		return json.Marshal(parts)
	default:
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(value.Interface())
		return bytes.TrimSpace(out.Bytes()), err
	}
}
