import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { password } from './reticle.ts'

/** A real browser of the distribution, for the tests of the console. */

const places = [
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Where Chromium is: as `RETICLE_TEST_BROWSER` says, or in its usual places. */
export const executablePath = [process.env.RETICLE_TEST_BROWSER ?? '', ...places].find(
  (path) => path !== '' && existsSync(path),
)

if (!executablePath) {
  const line = '!'.repeat(80)
  console.error(
    `${line}\nSKIPPED: tests of the console. There is no Chromium; RETICLE_TEST_BROWSER may name one.\n${line}`,
  )
}

/** Screenshots are kept here, for people. */
const pictures = process.env.RETICLE_TEST_SCREENSHOTS ?? join(tmpdir(), 'reticle-console')

const quiet = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--force-color-profile=srgb',
  ],
]

function openBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath && { executablePath }), args: quiet })
}

export interface Visit {
  page: Page
  context: BrowserContext
  /** What the page complained of and whom else it asked: empty where all is well. */
  complaints: string[]
  /** Keeps a picture of the page and asserts that nobody is kept out of it (axe, serious and critical). */
  look: (name: string) => Promise<void>
  close: () => Promise<void>
}

interface Wish {
  /** Signed in as; nobody when null. */
  as?: { username: string; password: string } | null
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
}

/**
 * A browser of the file or `describe` that asks, opened before its tests and closed after them. @returns what begins a visit of a
 * Reticle: of somebody who is signed in, with cookies of their own
 */
export function visitsOf(reticle: { readonly url: string }): (wish?: Wish) => Promise<Visit> {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())
  return async (wish) => {
    if (!browser) throw new Error('visits begin in tests')
    return visit(browser, reticle.url, wish)
  }
}

async function visit(browser: Browser, url: string, wish: Wish = {}): Promise<Visit> {
  const { as = { username: 'admin', password }, width = 1280, height = 800, colorScheme } = wish
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    ...(colorScheme && { colorScheme }),
  })
  if (as) await context.request.post('/api/auth/login', { data: as })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const complaints = listen(page, new URL(url).host)
  return {
    page,
    context,
    complaints,
    look: (name) => look(page, name),
    close: () => context.close(),
  }
}

function listen(page: Page, host: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const asked = new URL(request.url())
    if (/^https?:$/.test(asked.protocol) && asked.host !== host) complaints.push(asked.href)
  })
  return complaints
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

async function look(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  expect(await violationsOf(page)).toEqual([])
}

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}

async function violationsOf(page: Page): Promise<string[]> {
  const { readFile } = await import('node:fs/promises')
  await page.evaluate(await readFile(axe, 'utf8'))
  const found = await page.evaluate<Violation[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
}
