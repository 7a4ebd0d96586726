import { beforeEach, describe, expect, test } from 'vitest'
import { createPreparation, picture, zipFiles } from '../../testing/prepare.ts'
import { uploadFile } from '../../testing/run.ts'

/** Files of unsupported kinds: the error names each, the supported kinds and how to convert it. */

const { blobs, attached, prepare } = await createPreparation()
beforeEach(() => {
  attached.length = 0
})

const heic = '\0\0\0\x18ftypheic\0\0\0\0mif1heic'.padEnd(600, '\0')
const send = (files: Record<string, string | Uint8Array>) =>
  Promise.all(
    Object.entries(files).map(([name, bytes]) =>
      uploadFile(blobs, name, typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes),
    ),
  )
const small = await picture(4, 4)

describe('an unsupported file that was meant as a frame fails the request with its name', () => {
  const pictures = 'Pictures are read as JPEG, PNG, WebP, GIF, TIFF, BMP and AVIF'
  const videos = 'Videos are read as MP4, MOV, Matroska, WebM, AVI, MPEG-TS'
  const archives = 'Archives are read as zip, tar'
  test.each([
    ['IMG_4711.heic', heic, 'HEIC pictures are not read', pictures, 'magick'],
    ['called.jpg', heic, 'HEIC pictures are not read', pictures, 'magick'],
    ['a.psd', '8BPS\0\x01', 'Photoshop documents are not read', pictures, 'export PNG'],
    ['a.nef', 'IIRO\x08\0\0\0', 'raw pictures of cameras', pictures, 'darktable-cli'],
    ['a.dcm', `${'\0'.repeat(128)}DICM`, 'DICOM pictures', pictures, 'dcmj2pnm'],
    ['a.h264', '\0\0\0\x01\x67', 'videos without a container', videos, '-c copy'],
    ['a.rm', '.RMF\0', 'RealMedia videos are not read', videos, 'ffmpeg -i'],
    ['a.7z', '7z\xbc\xaf\x27\x1c', '7z archives are not read', archives, 'pack a zip'],
  ])('%s', async (name, bytes, what, read, advice) => {
    const files = await send({ 'a.jpg': small, [name]: bytes })
    const failed = prepare({ files })
    await expect(failed).rejects.toThrow(`${name}: ${what}`)
    await expect(failed).rejects.toThrow(read)
    await expect(failed).rejects.toThrow(advice)
    expect(attached).toEqual([])
  })

  test('files of two kinds are named with both, the first five of each', async () => {
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`${at}.heic`, heic]))
    const files = await send({ ...many, 'b.psd': '8BPS\0\x01' })
    await expect(prepare({ files })).rejects.toThrow(
      /^0\.heic, 1\.heic, 2\.heic, 3\.heic, 4\.heic \(and 2 more\): HEIC pictures .*\. b\.psd: Photoshop /,
    )
  })

  test('an unsupported file in a mapping to jobs is named', async () => {
    const archive = await zipFiles({ 'a.jpg': small, 'b.heic': heic })
    const files = [await uploadFile(blobs, 'a.zip', archive)]
    const job_file_mapping = [{ files: ['a.jpg', 'b.heic'] }]
    await expect(prepare({ files, job_file_mapping })).rejects.toThrow(
      'job_file_mapping: b.heic: HEIC pictures are not read',
    )
  })
})

describe('an unsupported file beside pictures is left out and reported', () => {
  test.each([
    ['sound.mp3', 'ID3\x03\0', 'MP3 sound is not read'],
    ['notes.docx', `PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`, 'Office documents'],
    ['cloud.pcd', '# .PCD v0.7', 'PCD point clouds'],
    ['data.h5', '\x89HDF\r\n\x1a\n', 'HDF5 files'],
  ])('%s', async (name, bytes, reason) => {
    const { outcome, names } = await prepare({
      files: await send({ 'a.jpg': small, [name]: bytes }),
    })
    expect(names).toEqual(['a.jpg'])
    const [entry] = outcome.report?.entries ?? []
    expect(entry).toMatchObject({ code: 'ignored-file', examples: [{ file: name }] })
    expect(entry?.reason).toContain(reason.replace(' is not read', ''))
  })

  test('an unsupported picture in an archive is left out and reported', async () => {
    const archive = await zipFiles({
      'a.jpg': small,
      'b.heic': heic,
      'c.mp4': '\0\0\0\x18ftypisom',
    })
    const { outcome, names } = await prepare({ files: [await uploadFile(blobs, 'a.zip', archive)] })
    expect(names).toEqual(['a.jpg'])
    expect(outcome.report?.entries).toMatchObject([
      { reason: expect.stringContaining('HEIC pictures'), examples: [{ file: 'b.heic' }] },
      { reason: 'no image, but a video: send it by itself', examples: [{ file: 'c.mp4' }] },
    ])
  })
})

describe('a request without any frame fails with the names of its files', () => {
  test.each([
    ['sound.wav', 'RIFF\0\0\0\0WAVE', 'sound.wav: WAV sound', 'showspectrumpic'],
    ['letter.rtf', '{\\rtf1', 'letter.rtf: RTF documents', 'Documents are read as PDF'],
    ['map.tga', '\0\0\x0a\0', 'map.tga: unknown file type, but a known ending: Targa', 'magick'],
    ['notes.txt', 'text', 'notes.txt: unknown file type', 'videos as MP4, MOV'],
  ])('%s', async (name, bytes, what, advice) => {
    const failed = prepare({ files: await send({ [name]: bytes }) })
    await expect(failed).rejects.toThrow(`No media data found. ${what}`)
    await expect(failed).rejects.toThrow(advice)
  })

  test('an archive of unsupported files fails with the names of its members', async () => {
    const archive = await zipFiles({ 'a/b.heic': heic })
    await expect(prepare({ files: [await uploadFile(blobs, 'a.zip', archive)] })).rejects.toThrow(
      'No media data found. a/b.heic: HEIC pictures are not read',
    )
  })
})
