import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gather, isUnpackError, unpack } from './packed.ts'

test('a packed member gives its bytes up to the limit, and an error beyond it', async () => {
  const packed = [deflateRawSync(Buffer.alloc(1000))]

  expect(await gather(unpack(packed, 'deflated', 1000))).toHaveLength(1000)

  const refused = await gather(unpack(packed, 'deflated', 999)).catch((thrown: unknown) => thrown)
  expect(isUnpackError(refused)).toBe(true)
})
