import { beforeAll, describe, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import type { AnyJson } from '../../support/client.ts'
import { rectangle, taskWithMedia } from '../../support/factories.ts'
import { annotationFile, formOf } from '../../support/pictures.ts'
import { compareWith } from '../../support/slowdown.ts'
import { useTestServer } from '../../support/test-server.ts'

/**
 * Reading text of users takes time in proportion to its length: each hostile text is compared with a harmless one of
 * the same length on the same server. A pattern that is quadratic at this size is hundreds of times slower.
 */

const reticle = useTestServer()
const size = 60_000
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)

const most = 12

describe('values of attributes', () => {
  let task: AnyJson
  let labels: AnyJson[]
  beforeAll(async () => {
    task = await taskWithMedia(reticle.admin, {
      labels: [
        {
          name: 'car',
          attributes: [
            { name: 'n', input_type: 'number', mutable: true, values: ['0', '100', '1'] },
            { name: 't', input_type: 'text', mutable: true, values: [''] },
            { name: 'c', input_type: 'checkbox', mutable: true, values: ['false'] },
            { name: 's', input_type: 'select', mutable: true, values: ['a', 'b'] },
          ],
        },
      ],
    })
    labels = (await reticle.admin.done('GET', `/labels?task_id=${task.id}`)).results
  })

  const values = [
    `${fill('1')}x`,
    `-${fill('0')}`,
    `0.${fill('0')}e`,
    `1e${fill('9')}`,
    `${fill(' ')}1`,
    `1${fill(' ')}x`,
    fill('1.'),
    fill('--'),
    fill('1_'),
    `tru${fill('e')}`,
  ]

  test('a value of 60,000 characters is refused in time linear in its length', async () => {
    const patch = async (value: string, index: number) => {
      const spec_id = labels[0].attributes[index].id
      const shape = { ...rectangle(labels[0].id), attributes: [{ spec_id, value }] }
      const answer = await reticle.admin.call(
        'PATCH',
        `/tasks/${task.id}/annotations?action=create`,
        { json: { shapes: [shape] } },
      )
      expect([value.slice(0, 20), index, answer.status]).toEqual([value.slice(0, 20), index, 400])
    }
    const slowdownOf = compareWith(() => patch(fill('a'), 1), most)
    for (const value of values)
      for (const index of [0, 1, 2, 3]) {
        const slowdown = await slowdownOf(() => patch(value, index))
        expect(slowdown, `${value.slice(0, 20)} of attribute ${index}`).toBeLessThan(most)
      }
  }, 120_000)
})

describe('files that claim to be images', () => {
  const files: [what: string, text: string][] = [
    ['empty comments', `${'<!---->'.repeat(70)}x`],
    ['comments between spaces', `<?xml version="1.0"?>${' <!-- - -->\n'.repeat(200)}<x`],
    ['comments that do not end', '<!--'.repeat(500)],
    ['declarations', `${'<?x?>'.repeat(300)}<svg`],
    ['document types', '<!DOCTYPE a ['.repeat(200)],
    ['spaces', `\ufeff${' '.repeat(60_000)}<svg`],
    ['line breaks', `${'\r\n'.repeat(30_000)}%PDF`],
    ['comment dashes', `<!--${'-'.repeat(60_000)}`],
  ]

  test.each(files)('a file of %s is refused because it is no media', async (_what, text) => {
    const { id } = await reticle.admin.done('POST', '/tasks', { json: { name: 't', labels: [] } })
    const form = formOf([{ name: 'a.jpg', bytes: Buffer.from(text) }])
    const started = await reticle.admin.done('POST', `/tasks/${id}/data`, { form })
    expect(await reticle.admin.ended(started.rq_id)).toMatchObject({ status: 'failed' })
  })
})

describe('annotation files', () => {
  const object = (numbers: string) =>
    `<annotation><filename>picture-0.png</filename><size><width>64</width><height>48</height><depth>3</depth></size><object><name>car</name><bndbox><xmin>${numbers}</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object></annotation>`
  const archive = (members: Record<string, string>) =>
    storedZip(Object.entries(members).map(([name, text]) => ({ name, bytes: Buffer.from(text) })))
  const lines: ((text: string) => [format: string, members: Record<string, string>])[] = [
    (text) => ['MOT 1.1', { 'gt/gt.txt': `1,1,${text}x,2,3,4,1,1,1\n`, 'gt/labels.txt': 'car\n' }],
    (text) => ['MOT 1.1', { 'gt/gt.txt': '1,1,1,2,3,4,1,1,1\n', 'gt/labels.txt': `${text}\n` }],
    (text) => ['YOLO 1.1', { 'obj.names': `car${text}x\n`, 'obj_train_data/a.txt': '0 1 1 1 1\n' }],
    (text) => ['YOLO 1.1', { 'obj.names': 'car\n', 'obj_train_data/a.txt': `0 ${text} 1 1 1\n` }],
    (text) => ['YOLO 1.1', { 'obj.data': `train = ${text}x\n`, 'obj.names': 'car\n' }],
    (text) => ['KITTI 1.0', { 'label_2/a.txt': `car ${text} 0 0 1 1 5 5 0 0 0 0 0 0 0\n` }],
    (text) => [
      'Pascal VOC 1.1',
      { 'labelmap.txt': `car:${text}::\n`, 'Annotations/a.xml': object('1') },
    ],
    (text) => ['Pascal VOC 1.1', { 'Annotations/a.xml': object(`1${text}x`) }],
    (text) => ['Pascal VOC 1.1', { 'ImageSets/Main/car_train.txt': `a${text}b\n` }],
    (text) => ['Segmentation mask 1.1', { 'labelmap.txt': `car:1,${text},2::\n` }],
    (text) => ['TFRecord 1.0', { 'label_map.pbtxt': `item {${text}\n`, 'a.tfrecord': text }],
    (text) => [
      'LabelMe 3.0',
      { 'a.xml': `<annotation><filename>a${text}.png</filename></annotation>` },
    ],
    (text) => ['COCO 1.0', { 'instances_default.json': `{"images":[{"id":1${text}x}]}` }],
    (text) => [
      'Service 1.1',
      {
        'annotations.xml': `<annotations><image id="0" name="a" width="64" height="48"><polygon label="car" points="1,${text};2,2" /></image></annotations>`,
      },
    ],
  ]
  const pieces = [' ', '1', ',', '"', '-', '.', '[', '\t', ' \t', '1,', "'", '0.']

  test('each format reads a line of 60,000 characters in time linear in its length', async () => {
    const task = await taskWithMedia(reticle.admin)
    const url = `/tasks/${task.id}/annotations`
    const tried = async (format: string, members: Record<string, string>) => {
      const form = annotationFile(archive(members), 'a.zip')
      const query = new URLSearchParams({ format })
      const answer = await reticle.admin.call('POST', `${url}?${query}`, { form })
      expect([format, answer.status, answer.text]).toEqual([format, 202, expect.anything()])
      await reticle.admin.ended(answer.body.rq_id)
    }
    for (const line of lines) {
      const slowdownOf = compareWith(() => tried(...line(fill('a'))), most)
      for (const piece of pieces) {
        const [format, members] = line(fill(piece))
        const slowdown = await slowdownOf(() => tried(format, members))
        expect(slowdown, `${format}: ${piece}`).toBeLessThan(most)
      }
    }
  }, 600_000)
})
