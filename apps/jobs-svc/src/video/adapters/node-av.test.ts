import { fileURLToPath } from 'node:url'
import { nodeAvDecoder } from '../find.ts'
import { tryDecoder } from '../testing/contract.ts'

// Runs the built program, because hundreds of processes start, each three times as fast as from source.
const entry = [
  fileURLToPath(new URL('../../../dist/video/adapters/node-av-program.js', import.meta.url)),
]

tryDecoder('node-av', (around) => nodeAvDecoder({ entry, ...around }))
