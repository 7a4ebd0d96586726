import { expect, test } from 'vitest'
import { sourceOf } from '../archive/source.ts'
import { unpackedSource } from '../archive/unpacked.ts'
import type { DeclaredImage, Format } from '../model/dataset.ts'
import { createReport } from '../report/conversion-report.ts'
import { coco } from './coco.ts'
import { service } from './service.ts'
import { voc } from './voc.ts'

const signal = new AbortController().signal
const run = { report: createReport(), signal, progress: () => undefined }

async function declared(format: Format, files: Record<string, string>): Promise<DeclaredImage[]> {
  const members = Object.entries(files).map(([name, text]) => ({
    ...sourceOf(Buffer.from(text)),
    name,
  }))
  const source = unpackedSource(members, { name: 'set' })
  const found: DeclaredImage[] = []
  for await (const image of format.importer?.declaredImages?.(source, run) ?? []) found.push(image)
  return found
}

test('COCO yields the sizes of its images below the folder of their subset', async () => {
  const images = [
    { id: 1, file_name: 'a/b.jpg', width: 30, height: 20 },
    { id: 2, coco_url: 'http://images.example/val/c.jpg', width: 3, height: 2 },
    { id: 3, file_name: 'unknown.jpg' },
    { id: 4, file_name: 'wrong.jpg', width: 0, height: '7' },
  ]
  const file = JSON.stringify({ annotations: [], images, categories: [] })
  expect(await declared(coco, { 'set/annotations/instances_val.json': file })).toEqual([
    { member: 'set/images/val/a/b.jpg', width: 30, height: 20 },
    { member: 'set/images/val/c.jpg', width: 3, height: 2 },
  ])
})

test('Pascal VOC yields the size of each document', async () => {
  const document = (size: string) => `<annotation><filename>a.png</filename>${size}</annotation>`
  const files = {
    'Annotations/day/a.xml': document('<size><width>30</width><height>20</height></size>'),
    'Annotations/b.xml': document('<size><width>no</width><height>20</height></size>'),
    'Annotations/c.xml': document(''),
  }
  expect(await declared(voc, files)).toEqual([
    { member: 'JPEGImages/day/a.png', width: 30, height: 20 },
  ])
})

test('the native format yields the sizes of images, in projects below their subsets', async () => {
  const image = '<image id="0" name="a.jpg" subset="train" width="30" height="20"></image>'
  const files = {
    'annotations.xml': `<annotations>${image}<image id="1" name="b.jpg"/></annotations>`,
  }
  expect(await declared(service, files)).toEqual([
    { member: 'images/train/a.jpg', width: 30, height: 20 },
  ])
})

test('the native format yields the frames of a video under numbered names', async () => {
  const meta = `<meta><task><id>1</id><size>2</size><mode>interpolation</mode>
    <start_frame>10</start_frame><stop_frame>15</stop_frame><frame_filter>step=5</frame_filter>
    <original_size><width>30</width><height>20</height></original_size></task></meta>`
  expect(
    await declared(service, { 'annotations.xml': `<annotations>${meta}</annotations>` }),
  ).toEqual([
    { member: 'images/frame_000010.PNG', width: 30, height: 20 },
    { member: 'images/frame_000015.PNG', width: 30, height: 20 },
  ])
})
