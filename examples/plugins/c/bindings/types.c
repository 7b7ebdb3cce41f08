// What the bindings expect of an object file that wit-bindgen would write: `tamis plugin build` writes the types of
// wit/ into the module itself.
void __component_type_object_force_link_plugin(void);
void __component_type_object_force_link_plugin(void) {}
