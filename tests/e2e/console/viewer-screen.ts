import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { height, width } from './viewer-world.ts'

/** What people see of the viewer, and how long it takes. */

/** Waits until the frame has been painted. */
export async function drawn(page: Page): Promise<void> {
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
export async function shotOf(page: Page, lie?: Lie) {
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

export async function middleOf(page: Page) {
  const box = await boxOf(page)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Of a pixel of the picture at 100 %, from the corner of the canvas. */
export async function placeOf(page: Page, x: number, y: number) {
  const box = await boxOf(page)
  return { x: (box.width - width) / 2 + x, y: (box.height - height) / 2 + y }
}

/** By the wheel, about a pixel near the middle; answers how the picture lies then. */
export async function zoomed(page: Page, notches: number): Promise<Lie> {
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
export async function framesWhile(page: Page, action: () => Promise<unknown>): Promise<number[]> {
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

export async function longestFrame(page: Page, action: () => Promise<unknown>): Promise<number> {
  const frames = await framesWhile(page, async () => {
    await action()
    await page.waitForTimeout(400)
  })
  return Math.max(...frames)
}

/** Milliseconds of the processor that the page's main thread takes for something. */
export async function cpuOf(page: Page) {
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

export const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
