import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gatherBytes } from '../storage/stored-file.ts'
import { isUnpackError, unpackMember } from './media-bytes.ts'

test('a compressed member yields its bytes up to the limit, and an error beyond it', async () => {
  const packed = [deflateRawSync(Buffer.alloc(1000))]

  expect(await gatherBytes(unpackMember(packed, 'deflated', 1000))).toHaveLength(1000)

  const refused = await gatherBytes(unpackMember(packed, 'deflated', 999)).catch(
    (thrown: unknown) => thrown,
  )
  expect(isUnpackError(refused)).toBe(true)
})

test('a small member that unpacks endlessly is stopped long before the limit', async () => {
  const packed = [deflateRawSync(Buffer.alloc(200_000_000), { level: 9 })]
  let read = 0
  const reading = async () => {
    for await (const piece of unpackMember(packed, 'deflated')) read += piece.length
  }
  expect(isUnpackError(await reading().catch((thrown: unknown) => thrown))).toBe(true)
  expect(read).toBeLessThanOrEqual(64 * 1024 * 1024)
})
