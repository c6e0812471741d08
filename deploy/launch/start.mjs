// npm start: the whole product in one process (PostgreSQL, gateway, worker, console), installed and built when needed.
import { ensureBuilt } from './lib/build.mjs';
import { refuseIfTaken } from './lib/fresh.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { answering, endLike, ended, forwardSignals } from './lib/processes.mjs';
import { launch, say } from './lib/project.mjs';
import { productUrl, startProduct, whereTheTokenIs } from './lib/product.mjs';

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const url = productUrl(process.env);
  await refuseIfTaken(url, 'LISTEN_ADDR');
  const product = startProduct(process.env);
  const stopForwarding = forwardSignals(() => [product]);
  const end = ended(product);
  await answering(`${url}/healthz`, product);
  say(`tgcontrol answers at ${url} (console: ${url}/, API reference: ${url}/docs)`);
  say(`The API token: ${whereTheTokenIs(process.env)}`);
  say('Ctrl-C stops it');
  const code = await end;
  stopForwarding();
  return endLike(product, code);
});
