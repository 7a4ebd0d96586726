import { createBuiltDecoder } from '../testing/built-decoder.ts'
import { tryDecoder } from '../testing/contract.ts'

tryDecoder('node-av', createBuiltDecoder)
