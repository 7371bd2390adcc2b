/**
 * The real network and the real event loops, on Netty. Its channels, loops and promises appear
 * nowhere else: what leaves this package are the seams, and buffers.
 */
package dev.vitrine.broker.net;
