import { Socket } from 'node:net'

/**
 * Thread beside one that may never yield. It kills the process when its standard input, a pipe, is closed, and so when
 * the parent process has exited.
 */
new Socket({ fd: 0 })
  .on('error', () => undefined)
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
