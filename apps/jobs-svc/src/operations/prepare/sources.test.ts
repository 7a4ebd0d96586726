import { beforeEach, describe, expect, test } from 'vitest'
import { readMediaBytes } from '../../media/media-bytes.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { createPreparation, picture, zipFiles } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'

/** Selection and order of the files that become frames. */

const { blobs, attached, prepare } = await createPreparation()
beforeEach(() => {
  attached.length = 0
})

const small = await picture(4, 4)
const send = (...names: string[]) =>
  Promise.all(names.map((name) => uploadFile(blobs, name, small)))
const manifestOf = (entries: object[], type = 'images') =>
  [{ version: '1.1' }, { type }, ...entries].map((one) => JSON.stringify(one)).join('\n')
const entry = (name: string, related_images?: string[]) => ({
  name: name.replace(/\.[^.]*$/, ''),
  extension: /\.[^.]*$/.exec(name)?.[0] ?? '',
  width: 4,
  height: 4,
  ...(related_images && { meta: { related_images } }),
})

describe('the order of frames', () => {
  test('`predefined` is the order of the uploads', async () => {
    const files = await send('c.jpg', 'a.jpg', 'b.jpg')
    const { names } = await prepare({ files, sorting_method: 'predefined' })
    expect(names).toEqual(['c.jpg', 'a.jpg', 'b.jpg'])
  })

  test('`predefined` follows `upload_file_order` if given', async () => {
    const files = await send('a.jpg', 'b.jpg', 'c.jpg')
    const upload_file_order = ['b.jpg', 'c.jpg', 'a.jpg']
    const { names } = await prepare({ files, sorting_method: 'predefined', upload_file_order })
    expect(names).toEqual(upload_file_order)
    const sorted = await prepare({ files, upload_file_order })
    expect(sorted.names).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
  })

  test('`random` differs between requests, and is the same for another attempt', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `${index + 10}.jpg`)
    const files = await send(...many)
    const work = { files, sorting_method: 'random' as const }
    const one = await prepare(work)
    const other = await prepare(work)
    expect([...one.names].sort()).toEqual(many)
    expect(one.names).not.toEqual(many)
    expect(one.names).not.toEqual(other.names)
  })
})

describe('a manifest', () => {
  const manifest = async (text: string, name = 'manifest.jsonl') => uploadFile(blobs, name, text)

  test('defines the predefined order', async () => {
    const listed = await manifest(
      manifestOf(['b.jpg', 'c.jpg', 'a.jpg'].map((name) => entry(name))),
    )
    const files = [...(await send('a.jpg', 'b.jpg', 'c.jpg')), listed]
    const { names, outcome } = await prepare({ files, sorting_method: 'predefined' })
    expect(names).toEqual(['b.jpg', 'c.jpg', 'a.jpg'])
    expect(outcome.report).toMatchObject({ skipped: 0 })
    const sorted = await prepare({ files })
    expect(sorted.names).toEqual(['a.jpg', 'b.jpg', 'c.jpg'])
  })

  test('lists names relative to its own folder, also in an archive', async () => {
    const members = {
      'in/b.jpg': small,
      'in/a/c.jpg': small,
      'in/notes.txt': 'no picture',
      'in/list.JSONL': manifestOf([entry('b.jpg'), entry('a/c.jpg')]),
    }
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members))]
    const { names, outcome } = await prepare({ files, sorting_method: 'predefined' })
    expect(names).toEqual(['in/b.jpg', 'in/a/c.jpg'])
    expect(outcome.report).toMatchObject({
      entries: [{ reason: 'no image', examples: [{ file: 'in/notes.txt' }] }],
    })
  })

  test('may come beside an archive', async () => {
    const archive = await uploadFile(
      blobs,
      'all.zip',
      await zipFiles({ 'a.jpg': small, 'b.jpg': small }),
    )
    const files = [archive, await manifest(manifestOf([entry('b.jpg'), entry('a.jpg')]))]
    const { names } = await prepare({ files, sorting_method: 'predefined' })
    expect(names).toEqual(['b.jpg', 'a.jpg'])
  })

  const names = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg', 'f.jpg', 'g.jpg']
  const predefined = { sorting_method: 'predefined' } as const
  test.each<[string, string[], Parameters<typeof prepare>[0], string]>([
    [
      'of other files',
      [manifestOf([entry('a.jpg'), entry('x.jpg')])],
      predefined,
      'Mismatching files: b.jpg (upload), c.jpg (upload), d.jpg (upload), e.jpg (upload), f.jpg (upload) (and 2 more)',
    ],
    ['in random order', [manifestOf([])], { sorting_method: 'random' }, "method 'random'"],
    [
      'of a video',
      [manifestOf([], 'video')],
      predefined,
      "line 2: a manifest of images is expected, not of 'video'",
    ],
    ['without a version', ['{"type":"images"}\n'], predefined, 'line 1: the version'],
    ['of frames without names', [manifestOf([{ number: 0 }])], predefined, 'line 3: the name and'],
    ['that is no JSON', [`${manifestOf([])}\n{"name":`], predefined, 'line 3: the name and'],
    [
      'of a frame twice',
      [manifestOf([entry('a.jpg'), entry('a.jpg')])],
      predefined,
      "line 4: the frame 'a.jpg' is listed twice",
    ],
    ['of endless lines', ['x'.repeat(2 * 1024 * 1024)], predefined, 'a line is too long'],
    [
      'and another one',
      [manifestOf([]), manifestOf([])],
      predefined,
      'Only one manifest (*.jsonl) can be used, but there are 2',
    ],
  ])('%s fails', async (_, manifests, params, message) => {
    const lists = await Promise.all(manifests.map((one, index) => manifest(one, `${index}.jsonl`)))
    const files = [...(await send(...names)), ...lists]
    await expect(prepare({ files, ...params })).rejects.toThrow(message)
    expect(attached).toEqual([])
  })

  test('is ignored when it is unreadable and the order does not depend on it', async () => {
    const files = [...(await send('b.jpg', 'a.jpg')), await manifest('{"text":"hello"}')]
    const { names: sorted, outcome } = await prepare({ files })
    expect(sorted).toEqual(['a.jpg', 'b.jpg'])
    expect(outcome.report).toMatchObject({
      entries: [{ reason: 'no manifest of images', examples: [{ file: 'manifest.jsonl' }] }],
    })
  })

  test('in an archive does not affect a random order', async () => {
    const members = { 'a.jpg': small, 'b.jpg': small, 'list.jsonl': manifestOf([entry('a.jpg')]) }
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members))]
    const { names: drawn } = await prepare({ files, sorting_method: 'random' })
    expect([...drawn].sort()).toEqual(['a.jpg', 'b.jpg'])
  })

  test('that lists a file that is not a picture fails with its name', async () => {
    const members = { 'a.jpg': small, 'b.jpg': 'no picture', 'c.jpg': small }
    const listed = await manifest(manifestOf(Object.keys(members).map((name) => entry(name))))
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members)), listed]
    await expect(prepare({ files, ...predefined })).rejects.toThrow('manifest: b.jpg: no image')
    const sorted = await prepare({ files })
    expect(sorted.names).toEqual(['a.jpg', 'c.jpg'])
  })

  test('is required for the predefined order of an archive', async () => {
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles({ 'a.jpg': small }))]
    await expect(prepare({ files, ...predefined })).rejects.toThrow('needs a manifest (*.jsonl)')
  })
})

describe('a selection of frames', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `${index}.jpg`)

  test.each([
    [{ start_frame: 2 }, [2, 3, 4, 5, 6, 7, 8, 9]],
    [{ stop_frame: 3 }, [0, 1, 2, 3]],
    [{ stop_frame: 99 }, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [{ frame_filter: 'step=3' }, [0, 3, 6, 9]],
    [{ start_frame: 1, stop_frame: 8, frame_filter: 'step=3' }, [1, 4, 7]],
    [{ start_frame: 1, stop_frame: 7, frame_filter: 'step=3' }, [1, 4, 7]],
    [{ start_frame: 9, frame_filter: 'step=100' }, [9]],
  ])('%j', async (chosen, expected) => {
    const { names, query } = await prepare({ files: await send(...ten), ...chosen })
    expect(names).toEqual(expected.map((number) => `${number}.jpg`))
    const { start_frame, frame_filter } = { start_frame: 0, frame_filter: '', ...chosen }
    expect(query).toMatchObject({
      ...(start_frame > 0 && { start_frame }),
      ...(frame_filter && { frame_filter }),
    })
  })

  test('counts pictures only; other files have no number', async () => {
    const members = {
      '0.txt': 'text',
      '1.jpg': small,
      '2.txt': 'text',
      '3.jpg': small,
      '5.jpg': small,
    }
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members))]
    const { names } = await prepare({ files, start_frame: 1, stop_frame: 1 })
    expect(names).toEqual(['3.jpg'])
  })

  test('follows the order of frames, and reads nothing after the last one', async () => {
    const files = await send('10.jpg', '9.jpg')
    const bad = await uploadFile(blobs, '11.jpg', Buffer.from('\xff\xd8\xff', 'latin1'))
    const { names } = await prepare({
      files: [...files, bad],
      sorting_method: 'natural',
      stop_frame: 0,
    })
    expect(names).toEqual(['9.jpg'])
  })

  test('ends the work at its last frame', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => [`b${index}.txt`, 'text'])
    const files = [
      await uploadFile(
        blobs,
        'all.zip',
        await zipFiles({ 'a.jpg': small, ...Object.fromEntries(texts) }),
      ),
    ]
    const { names, outcome } = await prepare({ files, stop_frame: 0 })
    expect(names).toEqual(['a.jpg'])
    expect(outcome.report?.skipped).toBeLessThan(10)
  })

  test('without frames fails with the number of frames', async () => {
    const files = await send('a.jpg', 'b.jpg')
    await expect(prepare({ files, start_frame: 2 })).rejects.toThrow(
      'start_frame: there are only 2 frames, the frame 2 is none of them',
    )
  })
})

describe('context images', () => {
  test('are in a folder named like the frame, and are not frames', async () => {
    const members = {
      'in/a.jpg': small,
      'in/b.c.png': small,
      'in/related_images/a_jpg/right.jpg': small,
      'in/related_images/a_jpg/left.jpg': small,
      'in/related_images/a_jpg/notes.txt': 'no picture',
      'in/related_images/b.c_png/top.jpg': small,
      'in/related_images/b_c_png/side.jpg': small,
      'in/related_images/z_jpg/lost.jpg': small,
      'other/a.jpg': small,
    }
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members))]
    const { frames, outcome } = await prepare({ files })
    const related = frames.map((one) => [one.name, one.related?.files.map(({ name }) => name)])
    const of = (...names: string[]) => names.map((name) => `in/related_images/${name}.jpg`)
    expect(related).toEqual([
      ['in/a.jpg', of('a_jpg/left', 'a_jpg/right')],
      ['in/b.c.png', of('b.c_png/top', 'b_c_png/side')],
      ['other/a.jpg', undefined],
    ])
    const [left] = frames[0]?.related?.files ?? []
    if (!left) throw new Error('there is no related image')
    expect(left.media_type).toBe('image/jpeg')
    expect(await gatherBytes(readMediaBytes(blobs, left))).toEqual(small)
    expect(outcome.report).toMatchObject({
      skipped: 2,
      entries: [
        { reason: 'no image', examples: [{ file: 'in/related_images/a_jpg/notes.txt' }] },
        { reason: 'related to no image', examples: [{ file: 'in/related_images/z_jpg/lost.jpg' }] },
      ],
    })
  })

  test('are named by a manifest in any folder', async () => {
    const list = manifestOf([
      entry('a.jpg', ['beside/one.jpg', 'beside/nosuch.jpg']),
      entry('b.jpg'),
    ])
    const members = { 'a.jpg': small, 'b.jpg': small, 'beside/one.jpg': small, 'list.jsonl': list }
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members))]
    const { frames } = await prepare({ files, sorting_method: 'predefined' })
    expect(
      frames.map(({ name, related }) => [name, related?.files.map((one) => one.name)]),
    ).toEqual([
      ['a.jpg', ['beside/one.jpg']],
      ['b.jpg', undefined],
    ])
  })

  test('are also found in uploads with folders in their names', async () => {
    const files = await send('a/1.jpg', 'a/related_images/1_jpg/x.jpg')
    const { frames } = await prepare({ files })
    expect(frames).toMatchObject([
      { name: 'a/1.jpg', related: { files: [{ key: files[1]?.key }] } },
    ])
  })

  test('are limited to two hundred per frame', async () => {
    const related = Array.from({ length: 201 }, (_, n) => [`related_images/a_jpg/${n}.jpg`, small])
    const members = { 'a.jpg': small, ...Object.fromEntries(related) }
    const files = [await uploadFile(blobs, 'all.zip', await zipFiles(members))]
    await expect(prepare({ files })).rejects.toThrow('a.jpg: at most 200 related images')
  })
})

test('two files with the same name are refused', async () => {
  const files = await send('a.jpg', 'a.jpg')
  await expect(prepare({ files })).rejects.toThrow("There are two files called 'a.jpg'")
})

test('a mixture is refused with the count of each kind', async () => {
  const files = [
    ...(await send('a.jpg', 'b.jpg')),
    await uploadFile(blobs, 'a.zip', await zipFiles({ 'a.jpg': small })),
    await uploadFile(blobs, 'a.mp4', '\0\0\0\x18ftypisom'),
  ]
  await expect(prepare({ files })).rejects.toThrow(
    'Only one zip, video, pdf or archive or many images can be used simultaneously, but there are 1 zip and 1 video and 2 images',
  )
})
