package dev.vitrine.generator;

import java.util.List;

/**
 * A struct: the message itself, or what it is made of. A value.
 *
 * @param versions those in which the message can hold it
 */
record Struct(String name, Versions versions, List<Field> fields) {}
