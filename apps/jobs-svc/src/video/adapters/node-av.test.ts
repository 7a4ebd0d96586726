import { nodeAvDecoder } from '../find.ts'
import { tryDecoder } from '../testing/contract.ts'

tryDecoder('node-av', nodeAvDecoder)
