import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { password } from './reticle.ts'

/** Usual paths of Chromium, for the tests of the console. */

const places = [
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Path of Chromium: `RETICLE_TEST_BROWSER`, or one of its usual paths. */
export const executablePath = [process.env.RETICLE_TEST_BROWSER ?? '', ...places].find(
  (path) => path !== '' && existsSync(path),
)

if (!executablePath) {
  const line = '!'.repeat(80)
  console.error(
    `${line}\nSKIPPED: tests of the console. There is no Chromium; RETICLE_TEST_BROWSER may name one.\n${line}`,
  )
}

/** Folder of screenshots, for review by people; unset, none are made, because they take as long as the checks. */
const pictures = process.env.RETICLE_TEST_SCREENSHOTS

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
  /** Errors of the console and requests to other hosts; empty in a valid visit. */
  complaints: string[]
  /** Asserts that axe finds no serious or critical accessibility problem; saves a screenshot if there is a folder. */
  look: (name: string) => Promise<void>
  close: () => Promise<void>
}

interface VisitOptions {
  /** The signed-in user; null for an anonymous visit. */
  as?: { username: string; password: string } | null
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
}

/**
 * Opens a browser before the tests of the calling file or `describe`, and closes it after them.
 * @returns a function that starts a visit with separate cookies
 */
export function visitsOf(reticle: {
  readonly url: string
}): (options?: VisitOptions) => Promise<Visit> {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())
  return async (options) => {
    if (!browser) throw new Error('a visit must start inside of a test')
    return visit(browser, reticle.url, options)
  }
}

async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { as = { username: 'admin', password }, width = 1280, height = 800, colorScheme } = options
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    reducedMotion: 'reduce', // axe must not measure a colour while it fades in
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
    const target = new URL(request.url())
    if (/^https?:$/.test(target.protocol) && target.host !== host) complaints.push(target.href)
  })
  return complaints
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

async function look(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
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
