// The bindings expect this function in an object file of wit-bindgen. `tamis plugin build` writes the types of wit/ into
// the module itself.
void __component_type_object_force_link_plugin(void);
void __component_type_object_force_link_plugin(void) {}
