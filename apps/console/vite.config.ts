import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { createLicencesPlugin } from './licences.ts'

/** Writes a compressed copy of every asset, so that the gateway does not compress while it serves. */
function createCompressionPlugin(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post', // compresses the final output
      handler(_options, bundle) {
        for (const [name, output] of Object.entries(bundle)) {
          const source = output.type === 'chunk' ? output.code : output.source
          this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(source) })
          this.emitFile({
            type: 'asset',
            fileName: `${name}.br`,
            source: brotliCompressSync(source),
          })
        }
      },
    },
  }
}

export default defineConfig({
  plugins: [react(), createLicencesPlugin(), createCompressionPlugin()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the content security policy allows files only
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run dev -w apps/console` uses a running Reticle
    proxy: { '/api': { target: 'http://127.0.0.1:8080' } },
  },
})
