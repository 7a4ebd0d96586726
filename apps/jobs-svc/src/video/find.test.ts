import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ConfigError } from '@reticle/kit/settings/config'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDecoder } from './find.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reticle-find-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Creates a folder with programs that print their version as FFmpeg does. */
async function programs(name: string, version: string, names = ['ffmpeg', 'ffprobe']) {
  await mkdir(join(folder, name))
  for (const one of names) {
    const path = join(folder, name, one)
    const said = `${one} version ${version} Copyright\\nlibavcodec     59. 37.100 / 59. 37.100`
    await writeFile(path, `#!/bin/sh\nprintf '${said}\\n'\n`)
    await chmod(path, 0o755)
  }
  return join(folder, name)
}

test('the configured program precedes ffmpeg on the path, which precedes node-av', async () => {
  const named = await programs('named', '7.1')
  const path = [join(folder, 'nowhere'), await programs('usual', '5.1.9'), '/usr/bin'].join(
    delimiter,
  )
  const given = await findDecoder({ ffmpegPath: join(named, 'ffmpeg'), path })
  expect(given?.about).toEqual({ adapter: 'ffmpeg', version: '7.1' })
  expect((await findDecoder({ path }))?.about).toEqual({ adapter: 'ffmpeg', version: '5.1.9' })
  const fallback = await findDecoder({ path: join(folder, 'nowhere') })
  expect(fallback?.about).toEqual({ adapter: 'node-av', version: expect.stringMatching(/^\S+$/) })
})

test('videos are unsupported without any decoder', async () => {
  expect(await findDecoder({ path: '', mayUseNodeAv: false })).toBeUndefined()
})

test('ffmpeg on the path without ffprobe beside it is not used', async () => {
  const path = await programs('half', '5.1.9', ['ffmpeg'])
  expect(await findDecoder({ path, mayUseNodeAv: false })).toBeUndefined()
})

test('a setting that names a missing or incomplete program is refused with its name', async () => {
  const half = await programs('lonely', '7.1', ['ffmpeg'])
  for (const ffmpegPath of [join(folder, 'missing'), join(half, 'ffmpeg')]) {
    const finding = findDecoder({ ffmpegPath, path: '' })
    await expect(finding).rejects.toThrow(ConfigError)
    await expect(finding).rejects.toThrow(
      'RETICLE_JOBS_FFMPEG_PATH: expected the path of an ffmpeg',
    )
  }
})
