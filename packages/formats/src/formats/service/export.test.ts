import { describe, expect, test } from 'vitest'
import type { Dataset, Exporter, TaskPart } from '../../model/dataset.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  partOf,
  shapeOf,
  trackOf,
  trackShapeOf,
} from '../../testing/run.ts'
import { labels } from '../../testing/service.ts'
import { service, serviceForImages, serviceForVideo } from '../service.ts'

const frames = framesOf(['a.jpg', 'b/c.jpg', 'd.jpg', 'e.jpg'])
const color = { spec_id: 1, value: 'red' }
const parked = { spec_id: 3, value: 'true' }
const box = shapeOf({ label_id: 40, points: [1, 2.5, 3, 4], attributes: [parked, color] })
const tag = { frame: 1, label_id: 40, group: 4, source: 'manual', attributes: [] }
const values = (car: string, is: string) =>
  `      <attribute name="color">${car}</attribute>\n      <attribute name="parked">${is}</attribute>\n`

/** Returns the part of the document after the description. */
async function bodyOf(exporter: Exporter | undefined, dataset: Dataset): Promise<string> {
  const { files } = await exportBytes(exporter, dataset)
  const [, body = ''] = (files['annotations.xml'] ?? '').split('</meta>\n')
  return body.replace('</annotations>\n', '')
}

describe('images of a native export', () => {
  test('list shapes from the lowest to the highest, then tags, for every frame of a task', async () => {
    const shapes = [
      { ...box, z_order: 2, group: 7, rotation: 30 },
      shapeOf({ type: 'points', label_id: 40, points: [5, 6], source: 'a "b"' }),
    ]
    const dataset = datasetOf(labels, frames.slice(0, 2), { shapes, tags: [tag] })
    expect(await bodyOf(service.exporter, dataset)).toBe(
      `  <image id="0" name="a.jpg" width="100" height="80">
    <points label="car" source="a &quot;b&quot;" occluded="0" points="5.00,6.00" z_order="0">
${values('', 'false')}    </points>
    <box label="car" source="file" occluded="0" xtl="1.00" ytl="2.50" xbr="3.00" ybr="4.00" rotation="30.00" z_order="2" group_id="7">
${values('red', 'true')}    </box>
  </image>
  <image id="1" name="b/c.jpg" width="100" height="80">
    <tag label="car" source="manual" group_id="4">
${values('', 'false')}    </tag>
  </image>
`,
    )
  })

  test('of a video are listed only with visible annotations, without extension', async () => {
    const video = framesOf(['frame_000010.PNG', 'frame_000015.PNG', 'frame_000020.PNG'])
    const about = {
      mode: 'interpolation',
      ...{ origin: 10, step: 5, frame_filter: 'step=5' },
      video: { name: 'a.mp4', width: 100, height: 80 },
    } as const
    const dataset = datasetOf(labels, video, { shapes: [{ ...box, frame: 1 }] }, { about })
    const names = (text: string) => [...text.matchAll(/<image ([^>]+)>/g)].map(([, given]) => given)
    const size = 'width="100" height="80"'
    expect(names(await bodyOf(service.exporter, dataset))).toEqual([
      `id="15" name="frame_000015" ${size}`,
    ])
    expect(names(await bodyOf(serviceForImages.exporter, dataset))).toHaveLength(3)
  })
})

describe('tracks of a native export', () => {
  const moving = trackOf(
    [
      trackShapeOf({ frame: 0, points: [0, 0, 10, 10], attributes: [parked] }),
      trackShapeOf({ frame: 2, points: [20, 0, 30, 10], outside: true, occluded: true }),
    ],
    { label_id: 40, attributes: [color], group: 2, source: 'auto' },
  )
  const lines = (text: string) =>
    [...text.matchAll(/frame="(\d+)" keyframe="(\d)" outside="(\d)"/g)].map(([, ...all]) =>
      all.join(' '),
    )

  test('list every visible frame and the frame that hides them', async () => {
    const about = { origin: 10, step: 5, mode: 'interpolation' } as const
    const dataset = datasetOf(labels, frames, { tracks: [moving] }, { about })
    const shape = (
      frame: number,
      rest: string,
      z = '',
    ) => `    <box frame="${frame}" ${rest} z_order="0">
${values('red', 'true')}    </box>
${z}`
    expect(await bodyOf(service.exporter, dataset)).toBe(
      `  <track id="0" label="car" source="auto" group_id="2">
${shape(10, 'keyframe="1" outside="0" occluded="0" xtl="0.00" ytl="0.00" xbr="10.00" ybr="10.00"')}${shape(
  15,
  'keyframe="0" outside="0" occluded="0" xtl="10.00" ytl="0.00" xbr="20.00" ybr="10.00"',
)}${shape(20, 'keyframe="1" outside="1" occluded="1" xtl="20.00" ytl="0.00" xbr="30.00" ybr="10.00"')}  </track>
`,
    )
  })

  const tracksOn = async (
    given: Partial<TaskPart>,
    track = trackOf([trackShapeOf({ frame: 0 })], { label_id: 40 }),
  ) => {
    const part = { ...partOf(frames, { tracks: [track] }), ...given }
    const subset = {
      name: 'default',
      frames: part.frames,
      items: () => part.items(true),
      parts: [part],
    }
    return lines(
      await bodyOf(service.exporter, { ...datasetOf(labels, frames, {}), subsets: [subset] }),
    )
  }

  test('continue to the last frame, or to the last frame of their job', async () => {
    const track = trackOf([trackShapeOf({ frame: 1 })], { label_id: 40 })
    expect(await tracksOn({}, track)).toEqual(['1 1 0', '2 0 0', '3 0 0'])
    expect(await tracksOn({}, { ...track, stop_frame: 2 })).toEqual(['1 1 0', '2 0 0', '3 1 1'])
  })

  test('skip deleted frames, with a keyframe next to a deleted keyframe', async () => {
    const part = { frames: frames.filter(({ frame }) => frame !== 2), deletedFrames: new Set([2]) }
    expect(await tracksOn(part, moving)).toEqual(['0 1 0', '1 1 0', '3 1 1'])
  })

  test('get keyframes next to frames that are not exported', async () => {
    const far = trackOf(
      [trackShapeOf({ frame: 0 }), trackShapeOf({ frame: 3, points: [5, 5, 9, 9] })],
      { label_id: 40 },
    )
    expect(await tracksOn({ frames: frames.slice(1, 3) }, far)).toEqual(['1 1 0', '2 1 0'])
    expect(
      await tracksOn(
        { frames: [frames[0], frames[2], frames[3]].flatMap((one) => one ?? []) },
        far,
      ),
    ).toEqual(['0 1 0', '2 1 0', '3 1 0'])
  })

  test('are not listed when they are on none of the frames', async () => {
    const hidden = trackOf(
      [trackShapeOf({ frame: 0 }), trackShapeOf({ frame: 1, outside: true })],
      { label_id: 40 },
    )
    expect(await tracksOn({ frames: frames.slice(2) }, hidden)).toEqual([])
  })
})

describe('layouts of a native export', () => {
  const track = trackOf([trackShapeOf({ frame: 2 })], { label_id: 40 })
  const streams = { shapes: [box], tags: [tag], tracks: [track] }

  test('images contain tracks as shapes of their frames', async () => {
    const { files, report } = await exportBytes(
      serviceForImages.exporter,
      datasetOf(labels, frames, streams),
    )
    const text = files['annotations.xml'] ?? ''
    expect([text.match(/<box /g)?.length, text.includes('<track')]).toEqual([3, false])
    expect(report.entries).toMatchObject([
      { kind: 'converted', code: 'dropped-shape-type', count: 1 },
    ])
    expect(report.created).toEqual({ shapes: 3, tags: 1, tracks: 0 })
  })

  test('video contains shapes as tracks of one frame, and no tags', async () => {
    const shapes = [0, 1, 2, 3].map((frame) => ({ ...box, frame }))
    const { files, report } = await exportBytes(
      serviceForVideo.exporter,
      datasetOf(labels, frames, { ...streams, shapes }),
    )
    const text = files['annotations.xml'] ?? ''
    const listed = text
      .split('<track ')
      .map((one) =>
        [...one.matchAll(/frame="(\d)" keyframe="1" outside="(\d)"/g)]
          .map(([, frame, is]) => `${frame}${is}`)
          .join(),
      )
    expect(listed.slice(1)).toEqual(['20', '00,11', '10,21', '20', '30'])
    expect([...text.matchAll(/<track id="(\d)"/g)].map(([, id]) => id).join()).toBe('0,1,2,3,4')
    expect(text).not.toContain('<image')
    expect(report.entries).toMatchObject([
      { kind: 'dropped', code: 'dropped-shape-type', count: 1 },
    ])
  })

  test('values beyond two decimals, and scores, are reported as lost', async () => {
    const shapes = [{ ...box, points: [1, 2, 3, 4.005], score: 0.5 }]
    const uneven = trackOf([trackShapeOf({ rotation: 1 / 3 })], { label_id: 40 })
    const { report } = await exportBytes(
      service.exporter,
      datasetOf(labels, frames, { shapes, tracks: [uneven] }),
    )
    expect(report.entries).toMatchObject([
      { kind: 'dropped', code: 'dropped-attribute', count: 1 },
      {
        kind: 'converted',
        code: 'rounded',
        count: 2,
        examples: [{ item: 'a.jpg' }, { item: 'track 0' }],
      },
    ])
  })
})

describe('archives of a native export', () => {
  const pictures = frames.map((frame) => ({
    ...frame,
    async *image() {
      yield Buffer.from(frame.path)
    },
  }))

  test('contain images next to the document', async () => {
    const { files } = await exportBytes(
      service.exporter,
      datasetOf(labels, pictures, {}, { saveImages: true }),
    )
    expect(Object.keys(files)).toEqual([
      'annotations.xml',
      ...frames.map(({ path }) => `images/${path}`),
    ])
    expect(files['images/b/c.jpg']).toBe('b/c.jpg')
  })

  test('of projects distinguish tasks and subsets', async () => {
    const part = (id: number, label: string) =>
      partOf(
        pictures.slice(0, 2),
        { shapes: [box], tracks: [trackOf([trackShapeOf({ frame: 1 })], { label_id: 40 })] },
        { id, name: label },
      )
    const subsetOf = (name: string, parts: TaskPart[]) => ({
      name,
      frames: pictures.slice(0, 2),
      items: () => part(0, '').items(true),
      parts,
    })
    const subsets = [subsetOf('a/b', [part(8, 'x'), part(9, 'y')]), subsetOf('a_b', [part(7, 'z')])]
    const project = { ...part(5, 'p <1>').about }
    const { files } = await exportBytes(service.exporter, {
      ...{ labels, subsets, saveImages: true },
      about: { target: 'project', project, dumped: '2026-03-01T10:00:00.000Z' },
    })
    expect(Object.keys(files)).toEqual([
      'annotations.xml',
      ...['a_b', 'a_b_1'].flatMap((name) => [`images/${name}/a.jpg`, `images/${name}/b/c.jpg`]),
    ])
    const text = files['annotations.xml'] ?? ''
    expect(
      [...text.matchAll(/<image id="(\d)" name="([^"]+)" subset="([^"]+)" task_id="(\d)"/g)].map(
        ([, ...all]) => all.join(' '),
      ),
    ).toEqual([
      '0 a.jpg a/b 8',
      '1 b/c.jpg a/b 8',
      '2 a.jpg a/b 9',
      '3 b/c.jpg a/b 9',
      '0 a.jpg a_b 7',
      '1 b/c.jpg a_b 7',
    ])
    expect(
      [
        ...text.matchAll(
          /<track id="(\d)" label="car" source="file" task_id="(\d)" subset="([^"]+)"/g,
        ),
      ].map(([, ...all]) => all.join(' ')),
    ).toEqual(['0 8 a/b', '1 9 a/b', '2 7 a_b'])
    const [meta = ''] = text.split('</meta>')
    expect(meta).toContain(
      '  <meta>\n    <project>\n      <id>5</id>\n      <name>p &lt;1&gt;</name>\n',
    )
    expect([...meta.matchAll(/<task>\n +<id>(\d)</g)].map(([, id]) => id)).toEqual(['7', '8', '9'])
    expect(meta.match(/<labels>/g)).toHaveLength(1)
    expect(meta).toContain('      <subsets>a/b\na_b</subsets>\n')
  })

  test('an empty project is exported as a document', async () => {
    const { files } = await exportBytes(service.exporter, {
      ...{ labels: [], subsets: [], saveImages: true },
      about: { target: 'project', dumped: '2026-03-01T10:00:00.000Z' },
    })
    expect(files['annotations.xml']).toContain('<labels>\n      </labels>')
  })
})

test('a document describes a task, a job and a video', async () => {
  const person = { username: 'anna', email: 'a@example.org' }
  const about = {
    ...{ id: 4, name: 'street', overlap: 2, owner: person, assignee: null, frame_filter: 'step=5' },
    ...{ origin: 10, step: 5, start_frame: 15, stop_frame: 25, bug_tracker: 'https://x.org/?a&b' },
    segments: [{ id: 9, start_frame: 0, stop_frame: 3, url: '/api/jobs/9' }],
    video: { name: 'clip.mp4', width: 100, height: 80 },
  }
  const dataset = datasetOf(labels, frames, {}, { about, name: 'train' })
  const metaOf = async (target: 'task' | 'job') => {
    const given = { ...dataset, about: { ...dataset.about, target } }
    const { files } = await exportBytes(service.exporter, given)
    return (files['annotations.xml'] ?? '').split('  <image')[0] ?? ''
  }
  const video = (indent: string) =>
    [
      '<original_size>',
      '  <width>100</width>',
      '  <height>80</height>',
      '</original_size>',
      '<source>clip.mp4</source>',
    ]
      .map((line) => `${indent}${line}\n`)
      .join('')
  const common = `      <size>4</size>
      <mode>annotation</mode>
      <overlap>2</overlap>
      <bugtracker>https://x.org/?a&amp;b</bugtracker>
      <created>2026-03-01 10:00:00.000000+00:00</created>
      <updated>2026-03-01 10:00:00.000000+00:00</updated>
      <subset>train</subset>
      <start_frame>15</start_frame>
      <stop_frame>25</stop_frame>
      <frame_filter>step=5</frame_filter>
      <segments>
        <segment>
          <id>9</id>
          <start>0</start>
          <stop>3</stop>
          <url>/api/jobs/9</url>
        </segment>
      </segments>
      <owner>
        <username>anna</username>
        <email>a@example.org</email>
      </owner>
      <assignee></assignee>
      <labels>
        <label>
          <name>car</name>
          <color>#ff0000</color>
          <type>any</type>
          <attributes>
            <attribute>
              <name>color</name>
              <mutable>False</mutable>
              <input_type>select</input_type>
              <default_value></default_value>
              <values>red
blue</values>
            </attribute>
            <attribute>
              <name>parked</name>
              <mutable>True</mutable>
              <input_type>checkbox</input_type>
              <default_value>false</default_value>
              <values></values>
            </attribute>
          </attributes>
        </label>
        <label>
          <name>person</name>
          <color>#00ff00</color>
          <type>skeleton</type>
          <attributes>
            <attribute>
              <name>mood</name>
              <mutable>False</mutable>
              <input_type>text</input_type>
              <default_value></default_value>
              <values></values>
            </attribute>
          </attributes>
          <svg>&lt;circle cx="1" data-label-name="head"&gt;&lt;/circle&gt;</svg>
        </label>
${['head', 'foot']
  .map(
    (name) => `        <label>
          <name>${name}</name>
          <color>#0000ff</color>
          <type>points</type>
          <attributes>
          </attributes>
          <parent>person</parent>
        </label>
`,
  )
  .join('')}      </labels>
`
  const begin =
    '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n  <meta>\n'
  const end = '    <dumped>2026-03-01 10:00:00.000000+00:00</dumped>\n  </meta>\n'
  expect(await metaOf('task')).toBe(
    `${begin}    <task>\n      <id>4</id>\n      <name>street</name>\n${common}${video('      ')}    </task>\n${end}`,
  )
  expect(await metaOf('job')).toBe(
    `${begin}    <job>\n      <id>4</id>\n${common}    </job>\n${video('    ')}${end}`,
  )
})
