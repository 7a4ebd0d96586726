import { readSync } from 'node:fs'

/**
 * A thread beside one that may be busy for ever: it ends the process when its standard input ends, and so with whoever started it.
 * Foreign code that hangs does not hear of it by itself.
 */
const byte = Buffer.alloc(1)
const pause = new Int32Array(new SharedArrayBuffer(4))
while (isOpen()) Atomics.wait(pause, 0, 0, 100)
process.kill(process.pid, 'SIGKILL')

function isOpen(): boolean {
  try {
    return readSync(0, byte) > 0
  } catch (thrown) {
    return thrown instanceof Error && Reflect.get(thrown, 'code') === 'EAGAIN'
  }
}
