import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * The licences of all packages of others that are in the bundle, as those want it: a text beside it, which the document names
 * (`<link rel="license">`) and the page of the server shows.
 */
export function licences(): Plugin {
  let fileName = ''
  return {
    name: 'licences',
    apply: 'build',
    generateBundle: {
      order: 'pre', // the document names it
      handler(_options, bundle) {
        const modules = Object.values(bundle).flatMap((output) =>
          output.type === 'chunk' ? output.moduleIds : [],
        )
        const folders = new Set(modules.filter((id) => id.includes('/node_modules/')).map(folderOf))
        const source = [...folders]
          .sort()
          .map(licenceOf)
          .join(`\n${'-'.repeat(80)}\n\n`)
        fileName = this.getFileName(this.emitFile({ type: 'asset', name: 'licences.txt', source }))
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'link', attrs: { rel: 'license', href: `/${fileName}` }, injectTo: 'head' },
      ],
    },
  }
}

/** Of the package that a module belongs to. */
function folderOf(id: string): string {
  const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''))
  if (!found) throw new Error(`${id} belongs to no package`)
  return found[0]
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying|unlicense)/i.test(entry))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${name} ${version}: ${license}\n${text}`
}
