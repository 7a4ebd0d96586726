import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { afterAll } from 'vitest'

/** Creates a disk store in a folder that is deleted after the test file. */
export async function testBlobs(): Promise<BlobStore> {
  const root = await mkdtemp(join(tmpdir(), 'reticle-projects-test-'))
  afterAll(() => rm(root, { recursive: true, force: true }))
  return diskBlobs(root)
}
