import { expect, test } from 'vitest'
import { shownHtml } from './raw-html.ts'

test.each([
  ['one<br>two<BR />', 'one<br>two<BR />'],
  ['<b>bold</b> &amp; <script>x</script>', '<b>bold</b> &amp; &lt;script&gt;x&lt;/script&gt;'],
  ['<b onclick=x>', '&lt;b onclick=x&gt;'],
  ['<img src=x onerror="a>b">', '&lt;img src=x onerror="a&gt;b"&gt;'],
  ['<!-- <b> -->', '&lt;!-- <b> --&gt;'],
])('%s is shown as %s', (html, shown) => {
  expect(shownHtml(html)).toBe(shown)
})
