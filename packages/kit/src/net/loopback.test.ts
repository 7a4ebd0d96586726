import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each([
  ...['127.0.0.1', '127.8.9.1', 'localhost', 'LocalHost', 'localhost.', '::1', '[::1]'],
  ...['0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'],
])('%s is a loopback host', (host) => expect(isLoopback(host)).toBe(true))

test.each([
  ...['', '0.0.0.0', '::', '[::]', '10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'fe80::1'],
  ...['localhost.example.org', 'label.example.org', '127.0.0.1.example.org', '127.1', '*', '0'],
])('%j is not a loopback host', (host) => expect(isLoopback(host)).toBe(false))
