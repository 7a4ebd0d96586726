import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executablePath, openBrowser, visit } from '../../support/browser.ts'
import type { Json } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { type Picture, pictures } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

const [width, height] = [200, 150]
const ground = '#404040'
/** A white square of the picture, on which the mask lies exactly. */
const square = { left: 20, top: 90, width: 12, height: 8 }

const colours = {
  ...{ car: '#ff0000', road: '#00ff00', lane: '#0000ff', spot: '#ffff00', egg: '#ff00ff' },
  ...{ crate: '#00ffff', stain: '#ff8000', bus: '#8000ff', sunny: '#80ff00', hostile: '#123456' },
  ...{ person: '#ffffff', head: '#ff0080', foot: '#0080ff' },
}
type Name = keyof typeof colours
const hostile = '<img src=x onerror="alert(1)">'

describe.skipIf(!executablePath)('the viewer', () => {
  const data = dataDirectory()
  let reticle: Reticle
  let browser: Awaited<ReturnType<typeof openBrowser>>
  let task: Json

  beforeAll(async () => {
    reticle = await startReticle(data.path)
    browser = await openBrowser()
    task = await drawnTask(reticle)
  })
  afterAll(async () => {
    await browser?.close()
    await reticle?.stop()
    data.remove()
  })

  /** Somebody who looks at a frame of the task, at 100 %, with opaque shapes unless told otherwise. */
  async function looking(
    path = 'frames/0?opacity=100&quality=original',
    wish: Parameters<typeof visit>[2] = {},
  ) {
    const visitor = await visit(browser, reticle.url, wish)
    await visitor.page.goto(`/tasks/${task.id}/${path}`)
    await drawn(visitor.page)
    await visitor.page.keyboard.press('1')
    await visitor.page.getByLabel('Zoom', { exact: true }).getByText('100 %').first().waitFor()
    return { ...visitor, shot: () => shotOf(visitor.page) }
  }

  test('draws every kind of shape in the colour of its label', async () => {
    const { shot, look, complaints, close } = await looking()
    const seen = (await shot()).at
    const inside: [Name, number, number][] = [
      ...([
        ['car', 12, 12],
        ['car', 38, 28],
        ['car', 75, 10],
        ['car', 75, 36],
      ] as const),
      ...([
        ['road', 130, 20],
        ['road', 130, 35],
        ['lane', 30, 60],
        ['lane', 60, 59],
      ] as const),
      ...([
        ['spot', 80, 60],
        ['spot', 90, 61],
        ['egg', 130, 88],
        ['egg', 138, 70],
      ] as const),
      ...([
        ['crate', 163, 25],
        ['crate', 188, 15],
        ['stain', 20, 90],
        ['stain', 31, 97],
      ] as const),
      ...([
        ['person', 60, 100],
        ['head', 60, 80],
        ['foot', 60, 120],
        ['bus', 103, 103],
      ] as const),
    ].map(([name, x, y]) => [name, x, y])
    const told = inside.map(([name, x, y]) => [name, x, y, seen(x, y)])
    expect(told).toEqual(inside.map(([name, x, y]) => [name, x, y, colours[name]]))
    const outside = [
      ...[
        [8, 20],
        [20, 33],
        [64, 23],
        [86, 23],
        [112, 30],
        [30, 64],
        [85, 60],
        [148, 80],
      ],
      ...[
        [19, 90],
        [20, 89],
        [32, 97],
        [31, 98],
        [65, 100],
        [98, 105],
        [195, 145],
      ],
    ] as const
    expect(outside.map(([x, y]) => [x, y, seen(x, y)])).toEqual(
      outside.map(([x, y]) => [x, y, ground]),
    )
    await look('viewer')
    expect(complaints).toEqual([])
    await close()
  })

  test('shows the picture inside when nothing is filled, and dashes what is occluded', async () => {
    const { shot, page, close } = await looking('frames/0?opacity=0&quality=original')
    const seen = (await shot()).at
    expect([seen(25, 20), seen(130, 20), seen(130, 70)]).toEqual([ground, ground, ground])
    expect([seen(25, 10), seen(130, 10), seen(130, 89)]).toEqual([
      ...[colours.car, colours.road, colours.egg],
    ])
    // of the turned rectangle, which is occluded, the left side has gaps
    const side = Array.from({ length: 24 }, (_, index) => seen(72, 11 + index))
    expect(new Set(side)).toEqual(new Set([ground, colours.car].concat(side)))
    expect(side).toContain(ground)
    expect(side).toContain(colours.car)

    await page.keyboard.press('o')
    await page.waitForURL(/outlines=off/)
    await expect.poll(async () => (await shot()).at(25, 10)).toBe(ground)
    await close()
  })

  test('draws a mask pixel for pixel, and pictures and shapes in the same place at every zoom', async () => {
    const { shot, page, close } = await looking()
    const { at } = await shot()
    const rows = Array.from({ length: square.height + 2 }, (_, y) =>
      Array.from({ length: square.width + 2 }, (_, x) =>
        at(square.left - 1 + x, square.top - 1 + y),
      ),
    )
    const beside = Array.from({ length: square.width + 2 }, () => 0)
    expect(rows.map((row) => row.map((one) => Number(one === colours.stain)))).toEqual([
      ...[beside, ...maskRows().map((row) => [0, ...row, 0]), beside],
    ])

    // much larger, the mask covers the square of the picture, and not a pixel beside it
    await page.goto(`/tasks/${task.id}/frames/0?opacity=100&quality=original`)
    await drawn(page)
    const lie = await zoomed(page, 8)
    const scaled = await shotOf(page, lie)
    const { left, top, width: wide, height: high } = square
    const edges = [
      ...[
        [left, top],
        [left + wide, top],
        [left, top + high],
        [left + wide, top + high],
      ],
    ] as const
    for (const [x, y] of edges) {
      const around = [-0.2, 0.2].flatMap((dx) => [-0.2, 0.2].map((dy) => scaled.at(x + dx, y + dy)))
      expect(around.filter((one) => one === colours.stain)).toHaveLength(1)
      expect(around.filter((one) => one === ground)).toHaveLength(3)
    }
    await page.getByLabel('stain').uncheck()
    await expect
      .poll(async () => (await shotOf(page, lie)).at(left + 0.2, top + 0.2))
      .toBe('#ffffff')
    expect((await shotOf(page, lie)).at(left - 0.2, top + 0.2)).toBe(ground)
    await close()
  })

  test('shows a track between its keyframes, and not where it is outside', async () => {
    const { shot, page, close } = await looking('frames/1?opacity=100&quality=original')
    const seen = (await shot()).at
    expect([seen(105, 105), seen(113, 105), seen(117, 105), seen(123, 105)]).toEqual([
      ...[ground, colours.bus, colours.bus, ground],
    ])
    await page.getByRole('option', { name: /bus/ }).click()
    await page.getByText('interpolated').waitFor()
    await page.keyboard.press('PageDown')
    await page.waitForURL(/frames\/2\?opacity=100/)
    await expect.poll(async () => (await shot()).at(125, 105)).toBe(colours.bus)
    await page.getByRole('application').focus() // the list would take the key
    await page.keyboard.press('End')
    await page.waitForURL(/frames\/3/)
    await page.getByText('Nothing is shown on this frame.').waitFor()
    await expect.poll(async () => (await shot()).at(125, 105)).toBe(ground)
    await page.getByText('deleted').waitFor()
    await close()
  })

  test('hides a label, and keeps that in the address', async () => {
    const { shot, page, close } = await looking()
    await page.getByLabel('road').uncheck()
    await page.waitForURL(/hide=\d+/)
    await expect.poll(async () => (await shot()).at(130, 20)).toBe(ground)
    expect((await shot()).at(12, 12)).toBe(colours.car)
    await page.reload()
    await drawn(page)
    await page.keyboard.press('1')
    await expect.poll(async () => (await shot()).at(12, 12)).toBe(colours.car)
    expect((await shot()).at(130, 20)).toBe(ground)
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(async () => (await shot()).at(130, 20)).toBe(colours.road)
    await close()
  })

  test('selects by click and by keyboard, and tells all of what is selected', async () => {
    const { page, look, close } = await looking()
    await page.getByRole('application').click({ position: await placeOf(page, 130, 20) })
    const road = page.getByRole('option', { name: /road/ })
    await expect.poll(() => road.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    await expect.poll(() => road.getAttribute('aria-selected')).toBe('false')

    const list = page.getByRole('listbox', { name: 'Objects' })
    await list.focus()
    await page.keyboard.press('Home')
    const first = list.getByRole('option').first()
    await expect.poll(() => first.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowDown')
    const second = list.getByRole('option').nth(1)
    await expect.poll(() => second.getAttribute('aria-selected')).toBe('true')

    await page.getByRole('option', { name: 'hostile rectangle' }).click()
    await page.getByText(hostile).waitFor() // an attribute, as text
    await page.getByText('semi-auto').waitFor()
    await page.mouse.move(0, 0)
    await look('viewer-selected')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await look('viewer-keys')
    await close()
  })

  test('moves and zooms by keyboard, wheel and drag', async () => {
    const { shot, page, close } = await looking()
    const zoom = page.getByRole('status', { name: 'Zoom' })
    await page.keyboard.press('+')
    await expect.poll(() => zoom.textContent()).toBe('125 %')
    await page.keyboard.press('1')
    await page.getByRole('application').focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => (await shot()).at(12 - 60, 12)).toBe(colours.car)
    expect(page.url()).toContain('/frames/0')

    await page.keyboard.press('1')
    const { x, y } = await middleOf(page)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 40, y + 30, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => (await shot()).at(12 + 40, 12 + 30)).toBe(colours.car)
    await page.mouse.wheel(0, -100)
    await expect.poll(() => zoom.textContent()).toBe('120 %')
    await page.keyboard.press('0')
    await expect
      .poll(async () => Number.parseInt((await zoom.textContent()) ?? '', 10))
      .toBeGreaterThan(200)
    await close()
  })

  test('goes to a number, and knows the frames of a job', async () => {
    const { page, complaints, close } = await looking()
    await page.keyboard.press('g')
    await page.keyboard.type('2')
    await page.getByLabel('Frame', { exact: true }).fill('2')
    await page.keyboard.press('Enter')
    await page.waitForURL(/frames\/2/)
    const [, second] = await jobsOf(reticle.admin, task.id)
    await page.goto(`/jobs/${second.id}/frames/0`)
    await page.getByText('of 3 to 3').waitFor()
    await drawn(page)
    await page.getByText(/Issue \d+: open, 1 comment/).waitFor()
    expect(await page.getByRole('button', { name: 'Previous frame' }).isDisabled()).toBe(true)
    expect(complaints).toEqual([])
    await close()
  })

  test('fits a narrow window and a dark one', async () => {
    for (const [name, wish] of [
      ['narrow', { width: 360, height: 740 }],
      ['dark', { colorScheme: 'dark' }],
    ] as const) {
      const { page, look, complaints, close } = await looking('frames/0', wish)
      await page.keyboard.press('0')
      await look(`viewer-${name}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      expect(complaints).toEqual([])
      await close()
    }
  })

  test('draws 10,000 shapes without a stutter', { timeout: 180_000 }, async () => {
    const crowded = await crowdedTask(reticle)
    const { page, look, complaints, close } = await visit(browser, reticle.url)
    await page.goto(`/tasks/${crowded.id}/frames/0`)
    await page.getByText('10000').first().waitFor()
    await drawn(page)
    const cpu = await cpuOf(page)
    const draws = []
    for (let turn = 0; turn < 6; turn++)
      draws.push(await cpu(() => longestFrame(page, () => page.keyboard.press('o'))))
    const { x, y } = await middleOf(page)
    await page.mouse.move(x, y)
    await page.mouse.down()
    const pan = await cpu(() =>
      framesWhile(page, async () => {
        for (let step = 0; step < 90; step++) await page.mouse.move(x + step, y + step / 2)
      }),
    )
    await page.mouse.up()
    const panMs = pan.ms / pan.answer.length
    const perSecond = Math.round((1000 * pan.answer.length) / sum(pan.answer))
    const rounded = (numbers: readonly number[]) => numbers.map(Math.round).join(', ')
    console.log(
      `10,000 shapes: drawn in ${rounded(draws.map(({ ms }) => ms))} ms of the main thread (longest frames ${rounded(draws.map(({ answer }) => answer))} ms); panned at ${perSecond} frames a second with ${panMs.toFixed(1)} ms each (longest frame ${Math.round(Math.max(...pan.answer))} ms)`,
    )
    // five times what was promised; time of the processor, since the machine may be busy with something else
    expect(Math.min(...draws.map(({ ms }) => ms))).toBeLessThan(500)
    expect(panMs).toBeLessThan(5 * 33)
    await look('viewer-crowded')
    expect(complaints).toEqual([])
    await close()
  })
})

/** Rows of the mask: all of the square, but for its second pixel and the last of its third row. */
const maskRows = () =>
  Array.from({ length: square.height }, (_, row) =>
    Array.from({ length: square.width }, (_, column) =>
      Number(!(row === 0 && column === 1) && !(row === 2 && column === square.width - 1)),
    ),
  )

function maskPoints(): number[] {
  const runs: number[] = []
  let value = 0
  for (const pixel of maskRows().flat()) {
    if (runs.length === 0 || pixel !== value) {
      if (runs.length === 0 && pixel === 1) runs.push(0)
      runs.push(0)
      value = pixel
    }
    runs.push((runs.pop() ?? 0) + 1)
  }
  const { left, top } = square
  return [...runs, left, top, left + square.width - 1, top + square.height - 1]
}

async function drawnPicture(name: string): Promise<Picture> {
  const white = await sharp({ create: { ...square, channels: 3, background: '#ffffff' } })
    .png()
    .toBuffer()
  const bytes = await sharp({ create: { width, height, channels: 3, background: ground } })
    .composite([{ input: white, left: square.left, top: square.top }])
    .png()
    .toBuffer()
  return { name, bytes }
}

const node = (id: number, name: string) =>
  `<circle r="1.5" cx="40" cy="${20 * id}" data-type="element node" data-element-id="${id}" data-node-id="${id}" data-label-name="${name}"></circle>`
const svg = `<line x1="40" y1="20" x2="40" y2="40" data-type="edge" data-node-from="1" data-node-to="2"></line>${node(1, 'head')}${node(2, 'foot')}`

/** Four frames in two jobs, the last of which is deleted; on the first every kind of shape, and a track on three of them. */
async function drawnTask({ admin }: Reticle): Promise<Json> {
  const label = (name: Name, more: Json = {}) => ({ name, color: colours[name], ...more })
  const note = { name: 'note', input_type: 'text', mutable: true, default_value: '', values: [] }
  const sublabels = [label('head', { type: 'points' }), label('foot', { type: 'points' })]
  const plain = ['car', 'road', 'lane', 'spot', 'egg', 'crate', 'stain', 'bus', 'sunny'] as const
  const labels = [
    ...plain.map((name) => label(name)),
    label('hostile', { attributes: [note] }),
    label('person', { type: 'skeleton', sublabels, svg }),
  ]
  const files = await Promise.all([0, 1, 2, 3].map((index) => drawnPicture(`frame-${index}.png`)))
  const task = await taskWithMedia(admin, { files, labels, segment_size: 3 })
  await annotate(admin, task)
  const [, job] = await jobsOf(admin, task.id)
  await admin.done('PATCH', `/tasks/${task.id}/data/meta`, { json: { deleted_frames: [3] } })
  await admin.done('POST', '/issues', {
    json: { job: job.id, frame: 3, position: [50, 50, 80, 80], message: 'Is this one?' },
  })
  return task
}

async function annotate(admin: Reticle['admin'], task: Json): Promise<void> {
  const all: Json[] = task.labels.flatMap((label: Json) => [label, ...label.sublabels])
  const labelOf = (name: Name) => all.find((label) => label.name === name)
  const of = (name: Name, type: string, points: number[], more: Json = {}) => ({
    ...{ label_id: labelOf(name).id, type, frame: 0, points },
    ...more,
  })
  const note = { spec_id: labelOf('hostile').attributes[0].id, value: hostile }
  const crate = [160, 15, 160, 35, 180, 15, 180, 35, 190, 10, 190, 30, 170, 10, 170, 30]
  const shapes = [
    of('car', 'rectangle', [10, 10, 40, 30]),
    of('car', 'rectangle', [60, 20, 90, 26], { rotation: 90, occluded: true }),
    of('road', 'polygon', [110, 10, 150, 10, 130, 40]),
    of('lane', 'polyline', [10, 60, 61, 60]),
    of('spot', 'points', [80, 60, 90, 60]),
    of('egg', 'ellipse', [130, 70, 20, 10], { rotation: 90 }),
    of('crate', 'cuboid', crate),
    of('stain', 'mask', maskPoints()),
    of('hostile', 'rectangle', [150, 110, 190, 140], { attributes: [note], source: 'semi-auto' }),
    of('person', 'skeleton', [], {
      elements: [of('head', 'points', [60, 80]), of('foot', 'points', [60, 120])],
    }),
  ]
  const position = (frame: number, left: number, outside = false) => ({
    ...{ type: 'rectangle', frame, points: [left, 100, left + 10, 110], outside },
  })
  const track = {
    ...{ label_id: labelOf('bus').id, frame: 0 },
    shapes: [position(0, 100), position(2, 120), position(3, 120, true)],
  }
  const tag = { label_id: labelOf('sunny').id, frame: 0 }
  const json = { tags: [tag], shapes, tracks: [track] }
  await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json })
}

/** One frame with 10,000 shapes of eight labels, a third of them polygons of 24 corners, each tenth occluded. */
async function crowdedTask({ admin }: Reticle): Promise<Json> {
  const shades = [
    '#e6194b',
    '#3cb44b',
    '#ffe119',
    '#4363d8',
    '#f58231',
    '#911eb4',
    '#46f0f0',
    '#f032e6',
  ]
  const labels = shades.map((color, index) => ({ name: `label ${index}`, color }))
  const task = await taskWithMedia(admin, { files: await pictures(1, 1280, 800), labels })
  const shapes = Array.from({ length: 10_000 }, (_, index) => {
    const [x, y, size] = [(index * 137) % 1240, (index * 71) % 760, 6 + (index % 35)]
    const corners = Array.from({ length: 24 }, (_, corner) => {
      const angle = (corner / 24) * 2 * Math.PI
      const radius = (size / 2) * (corner % 2 ? 0.7 : 1)
      return [x + size / 2 + radius * Math.cos(angle), y + size / 2 + radius * Math.sin(angle)]
    })
    const isPolygon = index % 3 === 0
    return {
      ...{ label_id: task.labels[index % 8].id, frame: 0, occluded: index % 10 === 0 },
      type: isPolygon ? 'polygon' : 'rectangle',
      points: isPolygon ? corners.flat() : [x, y, x + size, y + size],
    }
  })
  await admin.done('PUT', `/tasks/${task.id}/annotations/`, { json: { shapes } })
  return task
}

/** Waits until the frame has been painted. */
async function drawn(page: Page): Promise<void> {
  await page.locator('.picture-stage[aria-busy="false"]').waitFor()
  await nextFrames(page)
}

const nextFrames = (page: Page) =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
  )

/** Where the corner of the picture is on the canvas, and how large a pixel of it is. */
interface Lie {
  scale: number
  left: number
  top: number
}

/** What people see of the canvas: colours by the pixels of the picture, which lies in the middle unless told otherwise. */
async function shotOf(page: Page, lie?: Lie) {
  await nextFrames(page)
  const png = await page.locator('.picture canvas').screenshot()
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const middle = (extent: number, of: number) => Math.round((extent - of) / 2)
  const centred = { left: middle(info.width, width), top: middle(info.height, height) }
  const { scale, left, top } = lie ?? { scale: 1, ...centred }
  return {
    at(x: number, y: number): string {
      const column = left + Math.floor(x * scale)
      const row = top + Math.floor(y * scale)
      const from = (row * info.width + column) * 3
      return `#${data.subarray(from, from + 3).toString('hex')}`
    },
  }
}

async function boxOf(page: Page) {
  const box = await page.locator('.picture canvas').boundingBox()
  if (!box) throw new Error('there is no canvas')
  return box
}

async function middleOf(page: Page) {
  const box = await boxOf(page)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Of a pixel of the picture at 100 %, from the corner of the canvas. */
async function placeOf(page: Page, x: number, y: number) {
  const box = await boxOf(page)
  return { x: (box.width - width) / 2 + x, y: (box.height - height) / 2 + y }
}

/** By the wheel, about a pixel near the middle; answers how the picture lies then. */
async function zoomed(page: Page, notches: number): Promise<Lie> {
  await page.keyboard.press('1')
  const box = await boxOf(page)
  const pointer = { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) }
  const at = { x: pointer.x - box.x, y: pointer.y - box.y }
  await page.mouse.move(pointer.x, pointer.y)
  await page.mouse.wheel(0, -100 * notches)
  const scale = 1.2 ** notches
  await page.getByText(`${Math.round(scale * 100)} %`, { exact: true }).waitFor()
  await page.mouse.move(0, 0)
  const corner = (middle: number, extent: number, of: number) =>
    Math.round(middle - (middle - (extent - of) / 2) * scale)
  const left = corner(at.x, box.width, width)
  return { scale, left, top: corner(at.y, box.height, height) }
}

/** Milliseconds between frames of the screen while something goes on. */
async function framesWhile(page: Page, action: () => Promise<unknown>): Promise<number[]> {
  await page.evaluate(`
    window.frameTimes = []
    window.stopFrames = false
    const next = (time) => { frameTimes.push(time); if (!stopFrames) requestAnimationFrame(next) }
    requestAnimationFrame(next)`)
  await action()
  await nextFrames(page)
  const times = await page.evaluate<number[]>('stopFrames = true, frameTimes')
  return times.slice(1).map((time, index) => time - (times[index] ?? time))
}

async function longestFrame(page: Page, action: () => Promise<unknown>): Promise<number> {
  const frames = await framesWhile(page, async () => {
    await action()
    await page.waitForTimeout(400)
  })
  return Math.max(...frames)
}

/** Milliseconds of the processor that the page's main thread takes for something. */
async function cpuOf(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taken = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
  }
  return async <T>(action: () => Promise<T>) => {
    const before = await taken()
    const answer = await action()
    return { answer, ms: (await taken()) - before }
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
