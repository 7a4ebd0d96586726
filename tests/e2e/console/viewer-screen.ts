import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { height, width } from './viewer-world.ts'

/** Waits until the frame has been painted. */
export async function waitForPaint(page: Page): Promise<void> {
  await page.locator('.picture-stage[aria-busy="false"]').waitFor()
  await nextFrames(page)
}

const nextFrames = (page: Page) =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))',
  )

/** Position of the corner of the image on the canvas, and the size of an image pixel. */
interface ImagePosition {
  scale: number
  left: number
  top: number
}

/** Takes a screenshot and returns colours by pixels of the image, which is centred by default. */
export async function shotOf(page: Page, lie?: ImagePosition) {
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

/** Returns the position on the canvas of a pixel of the image at 100 %. */
export async function positionOf(page: Page, x: number, y: number) {
  const box = await boxOf(page)
  return { x: (box.width - width) / 2 + x, y: (box.height - height) / 2 + y }
}

/** Zooms by the wheel at a pixel near the middle; returns the new position of the image. */
export async function zoomAtMiddle(page: Page, notches: number): Promise<ImagePosition> {
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

/** Returns the milliseconds between painted frames while an action runs. */
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

/** Measures the processor milliseconds that the main thread of the page uses. */
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
