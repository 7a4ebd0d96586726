import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decoderLimits } from '../decoder.ts'
import {
  type DecoderFixture,
  hasExited,
  jpeg,
  never,
  png,
  range,
  recordingEnvironment,
} from './decoder-fixture.ts'

/** Tests files that are refused, each with a reason. */
export function tryRefusals(fixture: DecoderFixture): void {
  const { fileOf, make, readProbeError } = fixture
  test.each(['sound.mov', 'open.mkv', 'alt-ref.webm', 'mpeg4.avi'])(
    'a cut-off %s is refused because its end is missing',
    async (file) => {
      const whole = await readFile(join(fixture.folder, file))
      expect(await readProbeError(`cut-${file}`, whole.subarray(0, whole.length * 0.7))).toBe(
        `cut-${file}: the video is cut off, its end is missing`,
      )
    },
  )

  test.each([
    ['vops.mp4', { codec: 'mpeg4', fileOptions: { movflags: 'faststart' } }, '\0\0\x01\xb6'],
    ['chunks.avi', { codec: 'mpeg4' }, '00dc'],
  ] as const)(
    'the missing end of %s is noticed when the cut is between two pictures',
    async (file, clip, start) => {
      make(file, clip)
      const whole = await readFile(join(fixture.folder, file))
      const pictures = whole.indexOf('mdat') + 1 || whole.indexOf('movi')
      const half = pictures + (whole.length - pictures) / 2
      const between = whole.indexOf(Buffer.from(start, 'latin1'), half)
      expect(await readProbeError(`cut-${file}`, whole.subarray(0, between))).toBe(
        `cut-${file}: the video is cut off, its end is missing`,
      )
      expect(await readProbeError(file, whole)).toBe('no error')
    },
  )

  test('a file that is not a video, or is cut to its first bytes, is refused with its name', async () => {
    const whole = await readFile(join(fixture.folder, 'B-frames.mp4'))
    const refused = (file: string) =>
      `${file}: no video can be read from it: it is damaged, cut off or of another kind`
    expect(await readProbeError('cut.mp4', whole.subarray(0, 4000))).toBe(refused('cut.mp4'))
    expect(await readProbeError('empty.mp4', '')).toBe(refused('empty.mp4'))
    expect(await readProbeError('garbage.mp4', noise(50_000))).toBe(refused('garbage.mp4'))
    expect(await readProbeError('picture.mp4', whole.subarray(0, 32))).toBe(refused('picture.mp4'))
  })

  test('a file that references other files is not followed', async () => {
    const other = join(fixture.folder, 'B-frames.mp4')
    const list = `ffconcat version 1.0\nfile '${other}'\n`
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${other}\n#EXT-X-ENDLIST\n`
    for (const [file, text] of Object.entries({ 'list.mp4': list, 'play.mkv': playlist }))
      expect(await readProbeError(file, text)).toMatch(/no video can be read from it/)
  })

  test('a file with sound alone is refused', async () => {
    make('only.mp4', { frames: 0, hasSound: true })
    await expect(fixture.decoder.probe(fileOf('only.mp4'), never)).rejects.toThrow(
      'only.mp4: the file has no video in it',
    )
  })

  test('pictures with a huge stated size are refused before they are decoded', async () => {
    const whole = await readFile(join(fixture.folder, 'mjpeg.avi'))
    expect(await readProbeError('huge.avi', claiming(whole, 65_000, 65_000))).toMatch(
      /65000 x 65000 pixels are too many|no video can be read from it/,
    )
  })
}

/** Tests unusual file names and damage inside files. */
export function tryOddities(fixture: DecoderFixture): void {
  const { fileOf, make, numbers } = fixture
  test('file names with special meaning for programs are read as file names', async () => {
    for (const file of ['-version.mp4', 'concat:a|b.mp4', 'a%03d,*?.mp4', "o'clock \n[0].mp4"]) {
      make(file, { frames: 3 })
      const index = await fixture.decoder.probe(fileOf(file), never)
      expect(await numbers(file, index, [2])).toEqual([[2, 2]])
    }
  })

  test('damage at any position ends in an error with a reason, or in a picture of every frame', async () => {
    for (const file of ['B-frames.mp4', 'alt-ref.webm', 'mpeg4.avi'])
      for (const seed of [1, 2]) {
        const broken = damaged(await readFile(join(fixture.folder, file)), seed)
        await writeFile(join(fixture.folder, `broken-${file}`), broken)
        await ended(async () => {
          const index = await fixture.decoder.probe(fileOf(`broken-${file}`), never)
          const wanted = range(0, index.pts.length)
          const found = await numbers(`broken-${file}`, index, wanted)
          expect(found.map(([frame]) => frame)).toEqual(wanted)
        })
      }
  }, 60_000)
}

/** Tests the intended ends of programs. */
export function tryStops(fixture: DecoderFixture): void {
  const { fileOf, numbers, started } = fixture
  test('a reader that leaves ends the program', async () => {
    const index = await fixture.decoder.probe(fileOf('B-frames.mp4'), never)
    started.length = 0
    for await (const { frame } of fixture.decoder.frames(
      fileOf('B-frames.mp4'),
      index,
      range(0, 50),
      jpeg,
      never,
    ))
      if (frame === 1) break
    expect(started.map(hasExited)).toEqual([true])
  })

  test('an abort ends the program and its reason is thrown', async () => {
    const index = await fixture.decoder.probe(fileOf('B-frames.mp4'), never)
    const stop = new AbortController()
    const reading = async () => {
      const wanted = range(0, 50)
      for await (const _ of fixture.decoder.frames(
        fileOf('B-frames.mp4'),
        index,
        wanted,
        jpeg,
        stop.signal,
      ))
        stop.abort(new Error('the request was taken away'))
    }
    started.length = 0
    await expect(reading()).rejects.toThrow('the request was taken away')
    await expect(fixture.decoder.probe(fileOf('B-frames.mp4'), stop.signal)).rejects.toThrow(
      'taken away',
    )
    expect(started.map(hasExited)).toEqual([true])
  })

  test('a program exits by itself when its streams are closed', async () => {
    const index = await fixture.decoder.probe(fileOf('B-frames.mp4'), never)
    const reading = fixture.decoder.frames(fileOf('B-frames.mp4'), index, range(0, 50), jpeg, never)
    await reading.next()
    const program = started.at(-1)
    for (const stream of [program?.stdin, program?.stdout, program?.stderr]) stream?.destroy()
    if (program && !hasExited(program)) await once(program, 'exit')
    await reading.return(undefined)
  })

  test('a killed program is reported as unavailable, and the call can be repeated', async () => {
    const index = await fixture.decoder.probe(fileOf('B-frames.mp4'), never)
    const killing = async () => {
      const wanted = range(0, 50)
      for await (const _ of fixture.decoder.frames(
        fileOf('B-frames.mp4'),
        index,
        wanted,
        png,
        never,
      ))
        started.at(-1)?.kill('SIGKILL')
    }
    await expect(killing()).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'B-frames.mp4: the video decoder was killed, perhaps for want of memory',
    })
    expect(await numbers('B-frames.mp4', index, [7])).toEqual([[7, 7]])
  })
}

/** Tests misbehaving programs in place of the decoder. */
export function tryStandIns(fixture: DecoderFixture): void {
  const { fileOf, openWith, started } = fixture
  test.each([
    ['hangs', 'setInterval(() => undefined, 1000)', 'decoding the video takes too long'],
    ['takes all time there is', 'for (;;);', 'decoding the video takes too long'],
    ['crashes', "process.kill(process.pid, 'SIGSEGV')", 'the video breaks its decoder'],
    ['gives up', 'process.exit(7)', 'no video can be read from it'],
    ['says nothing', '', 'no video can be read from it'],
  ])('a program that %s fails only this call, with a reason', async (_, script, reason) => {
    const limits = { ...decoderLimits }
    let isStandIn = false
    const base = recordingEnvironment(started)
    const standIn = await openWith({
      limits,
      start: (command, args, options) => {
        const real = args.slice(0, args.indexOf('--') + 1)
        const given = isStandIn ? [...real, process.execPath, '-e', script] : args
        return base.start(command, given, options)
      },
    })
    isStandIn = true
    Object.assign(limits, { cpuSeconds: 1, silenceMs: script.startsWith('for') ? 60_000 : 1000 })
    const probing = standIn.probe(fileOf('B-frames.mp4'), never)
    await expect(probing).rejects.toThrow(reason)
    expect(started.map(hasExited).every(Boolean)).toBe(true)
  })
}

/** Accepts success, or a failure with a reason of one sentence. */
async function ended(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (thrown) {
    expect(String(thrown)).toMatch(/^Error: broken-\S+: [^\n]+$/)
  }
}

function noise(length: number, seed = 1): Uint8Array {
  let state = seed
  return Buffer.alloc(length).map(() => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state >>> 24
  })
}

/** Changes about every two-hundredth byte after the header. */
function damaged(whole: Buffer, seed: number): Uint8Array {
  const changes = noise(whole.length, seed)
  return whole.map((byte, at) =>
    at > 1500 && at % 200 === seed ? byte ^ (changes[at] ?? 0) : byte,
  )
}

/** Changes the size in the header of an AVI and in each of its JPEGs. */
function claiming(avi: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(avi)
  const head = changed.indexOf('strf') + 8
  changed.writeUInt32LE(width, head + 4)
  changed.writeUInt32LE(height, head + 8)
  const sof = Buffer.from([0xff, 0xc0])
  for (let at = changed.indexOf(sof); at >= 0; at = changed.indexOf(sof, at + 2)) {
    changed.writeUInt16BE(height, at + 5)
    changed.writeUInt16BE(width, at + 7)
  }
  return changed
}
