import { beforeAll, describe, expect, test } from 'vitest'
import { type Annotated, annotatedTask, keyframe } from '../support/annotations.ts'
import { unzip } from '../support/archives.ts'
import type { AnyJson } from '../support/client.ts'
import { annotationFile } from '../support/pictures.ts'
import { useTestServer } from '../support/test-server.ts'

/** The native format: exports of one task imported into another, with every kind of annotation. */

const reticle = useTestServer()
let from: Annotated
let into: Annotated
beforeAll(async () => {
  from = await annotatedTask(reticle.admin)
  into = await annotatedTask(reticle.admin)
})

/** Returns the document of an export, and all members of its archive by name. */
async function exported(url: string, format: string, more = '') {
  const { admin } = reticle
  const query = `format=${encodeURIComponent(format)}${more}`
  const request = await admin.finished(await admin.done('POST', `${url}/dataset/export?${query}`))
  const { bytes } = await admin.bytes(request.result_url)
  const members = await unzip(bytes)
  return { bytes, members, request, text: String(members.get('annotations.xml')) }
}

const send = (url: string, format: string, content: string | Uint8Array, name = 'a.zip') =>
  reticle.admin.done('POST', `${url}/annotations/?format=${encodeURIComponent(format)}`, {
    form: annotationFile(content, name),
  })

/** Replaces ids by names, so that objects of two tasks can be compared. */
function named(set: AnyJson, { task }: Annotated): AnyJson {
  const labels: AnyJson[] = task.labels.flatMap((label: AnyJson) => [label, ...label.sublabels])
  const specs: AnyJson[] = labels.flatMap((label) => label.attributes)
  const nameOf = (all: AnyJson[], id: number) => all.find((one) => one.id === id)?.name
  return JSON.parse(JSON.stringify(set), (key, value) => {
    if (key === 'id' || key === 'source') return undefined
    if (key === 'label_id') return nameOf(labels, value)
    if (key === 'spec_id') return nameOf(specs, value)
    return value
  })
}

function everything(world: Annotated): AnyJson {
  const { idOf, box, joint, person } = world
  const value = (name: string, text: string) => ({ spec_id: idOf(name), value: text })
  const shape = (type: string, frame: number, points: number[], more: AnyJson = {}) =>
    box({ type, frame, points, ...more })
  const moving = (label_id: number, shapes: AnyJson[], more: AnyJson = {}) => ({
    ...{ frame: shapes[0].frame, label_id, shapes },
    ...more,
  })
  const point = (name: string, shapes: [frame: number, x: number, outside: boolean][]) =>
    moving(
      idOf(name),
      shapes.map(([frame, x, outside]) => ({ type: 'points', frame, points: [x, 2.25], outside })),
    )
  return {
    tags: [
      { frame: 0, label_id: idOf('plain'), group: 4 },
      { frame: 9, label_id: idOf('car'), attributes: [value('make', 'A <1> & "2"\n\ttab')] },
    ],
    shapes: [
      box({
        frame: 0,
        points: [1.25, 2.5, 30.75, 40],
        rotation: 12.5,
        occluded: true,
        z_order: -1,
      }),
      shape('polygon', 0, [0, 0, 10.01, 0, 10, 9.99], { group: 7 }),
      shape('polyline', 1, [0, 0, 10.01, 0], { z_order: 3 }),
      shape('points', 2, [5, 5, 6.5, 7]),
      shape('ellipse', 3, [20, 20, 10.5, 5], { rotation: 90 }),
      shape('cuboid', 4, [1, 1, 1, 9, 5, 1, 5, 9, 9, 2, 9, 8, 4, 2, 4, 8]),
      shape('mask', 5, [0, 3, 1, 2, 6, 6, 8, 7]),
      box({
        ...{ frame: 6, label_id: idOf('car') },
        attributes: [value('color', 'blue'), value('parked', 'true'), value('doors', '4')],
      }),
      person([joint('head', { frame: 7 }), joint('foot', { frame: 7, outside: true })], {
        frame: 7,
      }),
    ],
    tracks: [
      moving(
        idOf('car'),
        [
          keyframe(0, { points: [0, 0, 10, 10], attributes: [value('color', 'red')] }),
          keyframe(8, { points: [16, 8, 26, 18], attributes: [value('color', 'blue')] }),
          keyframe(9, { points: [20, 8, 30, 18], outside: true }),
        ],
        { group: 2, attributes: [value('make', 'VW')] },
      ),
      moving(
        idOf('outline'),
        [1, 3].map((frame) => ({
          type: 'polygon',
          frame,
          points: [0, 0, 8, frame, 8, 8],
          z_order: 2,
        })),
      ),
      {
        ...moving(idOf('person'), [
          { type: 'skeleton', frame: 6, points: [] },
          { type: 'skeleton', frame: 8, points: [], outside: true },
        ]),
        elements: [
          point('head', [
            [6, 1, false],
            [8, 5, true],
          ]),
          point('foot', [
            [6, 2, false],
            [7, 3, true],
            [8, 3, true],
          ]),
        ],
      },
    ],
  }
}

describe('format Service 1.1', () => {
  test('the format is listed under its names for import and export', async () => {
    const { importers, exporters } = await reticle.admin.done('GET', '/server/annotation/formats')
    const rowsOf = (all: AnyJson[]) =>
      all
        .filter(({ name }) => name.startsWith('Service'))
        .map(({ name, ext, version, tracks, kinds }) => [name, ext, version, tracks, kinds.length])
    expect(rowsOf(importers)).toEqual([['Service 1.1', 'XML, ZIP', '1.1', true, 9]])
    expect(rowsOf(exporters)).toEqual([
      ['Service 1.1', 'ZIP', '1.1', true, 9],
      ['Service for images 1.1', 'ZIP', '1.1', false, 9],
      ['Service for video 1.1', 'ZIP', '1.1', true, 8],
    ])
  })

  test('an import reproduces every kind of annotation in another task', async () => {
    const given = await from.whole.write(everything(from))
    const { bytes, request } = await exported(`/tasks/${from.task.id}`, 'Service 1.1')
    expect(request.report).toMatchObject({ converted: 0, dropped: 0, skipped: 0 })

    const done = await reticle.admin.finished(
      await send(`/tasks/${into.task.id}`, 'CVAT XML 1.1', bytes),
    )

    expect(done.report).toMatchObject({ skipped: 0, created: { tags: 2, shapes: 9, tracks: 3 } })
    const read = await into.whole.read()
    expect(named(read, into)).toEqual(named(given, from))
    const all = [...read.tags, ...read.shapes, ...read.tracks]
    expect(new Set(all.map(({ source }) => source))).toEqual(new Set(['file']))
  })

  test('a document without an archive can be imported, and a job takes only objects in its frames', async () => {
    await from.whole.write(everything(from))
    const { text } = await exported(`/tasks/${from.task.id}`, 'service 1.1')
    const meta = /<meta>[\s\S]*<\/meta>/
    await into.whole.write({})
    const url = `/jobs/${into.jobs[1]?.id}`
    const done = await reticle.admin.finished(
      await send(url, 'CVAT 1.1', text.replace(meta, ''), 'a.xml'),
    )
    expect(done.report.entries).toMatchObject([
      { kind: 'skipped', code: 'frame-outside-job', count: 7 },
    ])
    expect(named(await into.second.read(), into)).toEqual(named(await from.second.read(), from))
    expect((await into.first.read()).shapes).toEqual([])
  })

  test('an export of a job describes the job and contains only its frames', async () => {
    await from.whole.write(everything(from))
    const [, job] = from.jobs
    const { text, members } = await exported(`/jobs/${job?.id}`, 'Service 1.1', '&save_images=true')
    const names = [...text.matchAll(/<image id="(\d+)" name="([^"]+)"/g)]
    expect(names.map(([, id, name]) => `${id} ${name}`)).toEqual(
      [5, 6, 7, 8, 9].map((frame) => `${frame} frame-${String(frame + 1).padStart(3, '0')}.png`),
    )
    expect(text).toContain(`<job>\n      <id>${job?.id}</id>\n`)
    expect(text).toContain('<start_frame>5</start_frame>\n      <stop_frame>9</stop_frame>')
    expect([...members.keys()].filter((name) => name.startsWith('images/'))).toHaveLength(5)
  })

  test('deleted frames are omitted', async () => {
    const other = await annotatedTask(reticle.admin)
    await other.whole.write(everything(other))
    await reticle.admin.done('PATCH', `/tasks/${other.task.id}/data/meta`, {
      json: { deleted_frames: [2, 8] },
    })
    const { text } = await exported(`/tasks/${other.task.id}`, 'Service 1.1')
    expect(text).not.toMatch(/<image id="[28]"| frame="[28]"/)
    expect(text.match(/<image /g)).toHaveLength(8)
  })

  test('an invalid document changes nothing, and the error gives the position', async () => {
    const before = await into.whole.read()
    const refusals: [content: string, message: RegExp][] = [
      [
        '<annotations>\n<image id="0">\n<box label="plain"/>',
        /a\.xml: image 0: the attribute xtl is missing at line 3/,
      ],
      ['<annotations>\n<image id="0">', /a\.xml: unclosed tag: image in <image> at line 2/],
      [
        '<!DOCTYPE a [<!ENTITY b "c">]>\n<annotations/>',
        /a DOCTYPE with definitions is not allowed at line 1/,
      ],
      ['<annotation/>', /not a Service file/],
      [
        '<annotations><image id="0"><tag label="nobody"/></image></annotations>',
        /Label 'nobody' is not registered/,
      ],
      [
        '<annotations><image id="99"><tag label="plain"/></image></annotations>',
        /no matching frame/,
      ],
    ]
    for (const [content, message] of refusals) {
      const started = await send(`/tasks/${into.task.id}`, 'Service 1.1', content, 'a.xml')
      const { status, message: failure } = await reticle.admin.ended(started.rq_id)
      expect([status, failure]).toEqual(['failed', expect.stringMatching(message)])
    }
    expect(await into.whole.read()).toEqual(before)
  })
})

test('the CVAT layout for images flattens tracks, and the one for videos contains only tracks', async () => {
  await from.whole.write(everything(from))
  const images = await exported(`/tasks/${from.task.id}`, 'CVAT for images 1.1')
  expect(images.text).not.toContain('<track')
  expect(images.request.operation.format).toBe('Service for images 1.1')
  const video = await exported(`/tasks/${from.task.id}`, 'CVAT for video 1.1')
  expect(video.text.match(/<track /g)).toHaveLength(12)
  expect(video.text).not.toContain('<image')
  expect(video.request.report.dropped).toBe(2)
})

test('an export of a project is one document of all its tasks', async () => {
  const { admin } = reticle
  const labels = from.task.labels.map(({ name }: AnyJson) => ({ name }))
  const project = await admin.done('POST', '/projects', { json: { name: 'all <of> it', labels } })
  const { id: project_id } = project
  const [one, two] = [
    await annotatedTask(admin, { project_id }),
    await annotatedTask(admin, { project_id }),
  ]
  await one.whole.write({ shapes: [one.box()] })
  await two.whole.write({
    shapes: [two.box()],
    tracks: [{ frame: 1, label_id: two.idOf('plain'), shapes: [keyframe(1)] }],
  })
  const { text, members } = await exported(
    `/projects/${project_id}`,
    'Service 1.1',
    '&save_images=true',
  )
  expect(text).toContain('<name>all &lt;of&gt; it</name>')
  const of = (task: AnyJson) => `task_id="${task.id}"`
  expect(text).toMatch(
    new RegExp(`<image id="10" name="frame-001_1.png" subset="default" ${of(two.task)}`),
  )
  expect(text).toMatch(
    new RegExp(`<track id="0" label="plain" source="manual" ${of(two.task)} subset="default"`),
  )
  expect([...members.keys()].filter((name) => name.startsWith('images/default/'))).toHaveLength(20)
})
