/**
 * The APIs that this node serves: one table of them a listener, one handler a file, and the way of
 * a request from its frame to its handler and of the answer back.
 */
package dev.vitrine.broker.api;
