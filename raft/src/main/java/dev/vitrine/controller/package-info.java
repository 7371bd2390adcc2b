/**
 * The controller: turns requests into metadata records, a class per concern. {@link
 * dev.vitrine.controller.Controller} is the only way in; it runs on the quorum loop, decides on the
 * image of what was appended last (the tip) and answers when that is committed.
 */
package dev.vitrine.controller;
