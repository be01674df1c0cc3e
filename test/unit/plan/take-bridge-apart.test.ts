// Routes that the agent holds for a returning NIC are not mistaken for the NIC's own routes.
import t from 'tap';
import type { Observation } from '../../../agent/model/observation.ts';
import { planDisable } from '../../../agent/plan/make-plan.ts';
import { appliedCase } from './cases.ts';
import { changed } from './change.ts';

t.test("held routes never have the metric of the NIC's own profile", (t) => {
  const { observation } = appliedCase('static4');
  const heldMetric = (given: Observation): number | undefined =>
    planDisable(given).steps.flatMap((step) => (step.do === 'detachUplink' ? [step.metric] : []))[0];
  const asking = (metric: number): Observation =>
    changed(observation, { 'networkManager/profiles/[id=eth0]/settings/ipv4/route-metric': ['x', metric] });
  t.equal(heldMetric(observation), 47, 'the held metric is one less than that of the bridge');
  t.equal(heldMetric(asking(47)), 46, 'the held metric is one less again if the profile has that metric');
  t.equal(heldMetric(asking(100)), 47);
  t.end();
});
