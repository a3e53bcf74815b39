package codextest

import (
	"reflect"
	"strings"
)

// without is a copy of what a client showed, without what a fault put into texts. Only what can be set is copied: in fields that
// are not exported, texts stay.
func without(value reflect.Value, residue []string) any {
	if !value.IsValid() || len(residue) == 0 {
		if value.IsValid() {
			return value.Interface()
		}
		return nil
	}
	return cleaned(value, residue).Interface()
}

func cleaned(value reflect.Value, residue []string) reflect.Value {
	out := reflect.New(value.Type()).Elem()
	out.Set(value)
	switch value.Kind() {
	case reflect.String:
		text := value.String()
		for _, part := range residue {
			text = strings.ReplaceAll(text, part, "")
		}
		out.SetString(text)
	case reflect.Interface:
		if !value.IsNil() {
			out.Set(cleaned(value.Elem(), residue))
		}
	case reflect.Pointer:
		if !value.IsNil() {
			out.Set(reflect.New(value.Type().Elem()))
			out.Elem().Set(cleaned(value.Elem(), residue))
		}
	case reflect.Slice:
		if value.IsNil() {
			break
		}
		out.Set(reflect.MakeSlice(value.Type(), value.Len(), value.Len()))
		fallthrough
	case reflect.Array:
		for index := range value.Len() {
			out.Index(index).Set(cleaned(value.Index(index), residue))
		}
	case reflect.Map:
		if value.IsNil() {
			break
		}
		out.Set(reflect.MakeMap(value.Type()))
		for _, key := range value.MapKeys() {
			out.SetMapIndex(key, cleaned(value.MapIndex(key), residue))
		}
	case reflect.Struct:
		for index := range value.NumField() {
			if out.Field(index).CanSet() {
				out.Field(index).Set(cleaned(value.Field(index), residue))
			}
		}
	}
	return out
}
