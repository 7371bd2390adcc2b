/**
 * What is broken on purpose in a running node ({@code vitrine.faults}): its links to others, its
 * speed, its answers. Off, there is nothing of this on any request's way.
 */
package dev.vitrine.broker.fault;
