import { Socket } from 'node:net'

/**
 * A thread beside one that may never pause: it ends the process when its standard input, a pipe, is closed, and so when the process
 * that started it has exited.
 */
new Socket({ fd: 0 })
  .on('error', () => undefined)
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
