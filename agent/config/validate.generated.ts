// Made by config/generate-validator.mjs from config/ovn.schema.json; never edit.
// @ts-nocheck: the schema compiler writes plain JavaScript.

const validate = validate10;
import { ovnSchema as schema11 } from './schema.generated.ts';
const pattern0 = new RegExp("^(?!\\.{1,2}$)[^/:\\s]{1,15}$", "u");
const pattern1 = new RegExp("^((?!\\.{1,2}$)[^/:\\s]{1,15})?$", "u");
const pattern3 = new RegExp("^(?=.{1,256}$)(0|[1-9][0-9]{0,3})(-(0|[1-9][0-9]{0,3}))?([, ] ?(0|[1-9][0-9]{0,3})(-(0|[1-9][0-9]{0,3}))?)*$", "u");
const pattern4 = new RegExp("^([A-Za-z0-9\\[][A-Za-z0-9._:/@+\\[\\]-]{0,510})?$", "u");
const pattern5 = new RegExp("^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$", "u");
const pattern6 = new RegExp("^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?)?$", "u");
const pattern8 = new RegExp("^[0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?$", "u");
const pattern9 = new RegExp("^(auto|[0-9A-Fa-f.:]{2,39})$", "u");
const pattern10 = new RegExp("^(/[^\\u0000-\\u001f]{1,4095})?$", "u");
const pattern11 = new RegExp("^([0-9]{1,5}(-[0-9]{1,5})?(, ?[0-9]{1,5}(-[0-9]{1,5})?){0,63})?$", "u");
const pattern12 = new RegExp("^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3}){0,63})?$", "u");
const func2 = Object.prototype.hasOwnProperty;

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((((((((key0 === "disableOVSInit") || (key0 === "mtu")) || (key0 === "uplink")) || (key0 === "persist")) || (key0 === "ovsInit")) || (key0 === "ovs")) || (key0 === "manifests")) || (key0 === "overlay"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.disableOVSInit !== undefined){
if(typeof data.disableOVSInit !== "boolean"){
const err1 = {instancePath:instancePath+"/disableOVSInit",schemaPath:"#/properties/disableOVSInit/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.mtu !== undefined){
let data1 = data.mtu;
const _errs5 = errors;
let valid1 = false;
const _errs6 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
const err2 = {instancePath:instancePath+"/mtu",schemaPath:"#/properties/mtu/anyOf/0/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 65535 || isNaN(data1)){
const err3 = {instancePath:instancePath+"/mtu",schemaPath:"#/properties/mtu/anyOf/0/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65535}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data1 < 68 || isNaN(data1)){
const err4 = {instancePath:instancePath+"/mtu",schemaPath:"#/properties/mtu/anyOf/0/minimum",keyword:"minimum",params:{comparison: ">=", limit: 68}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
var _valid0 = _errs6 === errors;
valid1 = valid1 || _valid0;
if(!valid1){
const _errs8 = errors;
if("auto" !== data1){
const err5 = {instancePath:instancePath+"/mtu",schemaPath:"#/properties/mtu/anyOf/1/const",keyword:"const",params:{allowedValue: "auto"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
var _valid0 = _errs8 === errors;
valid1 = valid1 || _valid0;
}
if(!valid1){
const err6 = {instancePath:instancePath+"/mtu",schemaPath:"#/properties/mtu/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
errors = _errs5;
if(vErrors !== null){
if(_errs5){
vErrors.length = _errs5;
}
else {
vErrors = null;
}
}
}
}
if(data.uplink !== undefined){
let data2 = data.uplink;
if(typeof data2 === "string"){
if(!pattern0.test(data2)){
const err7 = {instancePath:instancePath+"/uplink",schemaPath:"#/properties/uplink/pattern",keyword:"pattern",params:{pattern: "^(?!\\.{1,2}$)[^/:\\s]{1,15}$"}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/uplink",schemaPath:"#/properties/uplink/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.persist !== undefined){
if(typeof data.persist !== "boolean"){
const err9 = {instancePath:instancePath+"/persist",schemaPath:"#/properties/persist/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data.ovsInit !== undefined){
let data4 = data.ovsInit;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
for(const key1 in data4){
if(!(((key1 === "disableOVSInit") || (key1 === "gatewayInterface")) || (key1 === "externalGatewayInterface"))){
const err10 = {instancePath:instancePath+"/ovsInit",schemaPath:"#/properties/ovsInit/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data4.disableOVSInit !== undefined){
if(typeof data4.disableOVSInit !== "boolean"){
const err11 = {instancePath:instancePath+"/ovsInit/disableOVSInit",schemaPath:"#/properties/ovsInit/properties/disableOVSInit/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data4.gatewayInterface !== undefined){
let data6 = data4.gatewayInterface;
if(typeof data6 === "string"){
if(!pattern1.test(data6)){
const err12 = {instancePath:instancePath+"/ovsInit/gatewayInterface",schemaPath:"#/properties/ovsInit/properties/gatewayInterface/pattern",keyword:"pattern",params:{pattern: "^((?!\\.{1,2}$)[^/:\\s]{1,15})?$"}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
else {
const err13 = {instancePath:instancePath+"/ovsInit/gatewayInterface",schemaPath:"#/properties/ovsInit/properties/gatewayInterface/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data4.externalGatewayInterface !== undefined){
let data7 = data4.externalGatewayInterface;
if(typeof data7 === "string"){
if(!pattern1.test(data7)){
const err14 = {instancePath:instancePath+"/ovsInit/externalGatewayInterface",schemaPath:"#/properties/ovsInit/properties/externalGatewayInterface/pattern",keyword:"pattern",params:{pattern: "^((?!\\.{1,2}$)[^/:\\s]{1,15})?$"}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
else {
const err15 = {instancePath:instancePath+"/ovsInit/externalGatewayInterface",schemaPath:"#/properties/ovsInit/properties/externalGatewayInterface/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
}
else {
const err16 = {instancePath:instancePath+"/ovsInit",schemaPath:"#/properties/ovsInit/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data.ovs !== undefined){
let data8 = data.ovs;
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
for(const key2 in data8){
if(!(((((key2 === "cpuAffinity") || (key2 === "handlerThreads")) || (key2 === "revalidatorThreads")) || (key2 === "lockMemory")) || (key2 === "datapathType"))){
const err17 = {instancePath:instancePath+"/ovs",schemaPath:"#/properties/ovs/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data8.cpuAffinity !== undefined){
let data9 = data8.cpuAffinity;
const _errs26 = errors;
let valid4 = false;
const _errs27 = errors;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
const err18 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf/0/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 8191 || isNaN(data9)){
const err19 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf/0/maximum",keyword:"maximum",params:{comparison: "<=", limit: 8191}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data9 < 0 || isNaN(data9)){
const err20 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf/0/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
var _valid1 = _errs27 === errors;
valid4 = valid4 || _valid1;
if(!valid4){
const _errs29 = errors;
if(typeof data9 === "string"){
if(!pattern3.test(data9)){
const err21 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf/1/pattern",keyword:"pattern",params:{pattern: "^(?=.{1,256}$)(0|[1-9][0-9]{0,3})(-(0|[1-9][0-9]{0,3}))?([, ] ?(0|[1-9][0-9]{0,3})(-(0|[1-9][0-9]{0,3}))?)*$"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf/1/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
var _valid1 = _errs29 === errors;
valid4 = valid4 || _valid1;
if(!valid4){
const _errs31 = errors;
if("none" !== data9){
const err23 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf/2/const",keyword:"const",params:{allowedValue: "none"}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
var _valid1 = _errs31 === errors;
valid4 = valid4 || _valid1;
}
}
if(!valid4){
const err24 = {instancePath:instancePath+"/ovs/cpuAffinity",schemaPath:"#/properties/ovs/properties/cpuAffinity/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
else {
errors = _errs26;
if(vErrors !== null){
if(_errs26){
vErrors.length = _errs26;
}
else {
vErrors = null;
}
}
}
}
if(data8.handlerThreads !== undefined){
let data10 = data8.handlerThreads;
const _errs33 = errors;
let valid5 = false;
const _errs34 = errors;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err25 = {instancePath:instancePath+"/ovs/handlerThreads",schemaPath:"#/properties/ovs/properties/handlerThreads/anyOf/0/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 > 1024 || isNaN(data10)){
const err26 = {instancePath:instancePath+"/ovs/handlerThreads",schemaPath:"#/properties/ovs/properties/handlerThreads/anyOf/0/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(data10 < 1 || isNaN(data10)){
const err27 = {instancePath:instancePath+"/ovs/handlerThreads",schemaPath:"#/properties/ovs/properties/handlerThreads/anyOf/0/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
var _valid2 = _errs34 === errors;
valid5 = valid5 || _valid2;
if(!valid5){
const _errs36 = errors;
if("auto" !== data10){
const err28 = {instancePath:instancePath+"/ovs/handlerThreads",schemaPath:"#/properties/ovs/properties/handlerThreads/anyOf/1/const",keyword:"const",params:{allowedValue: "auto"}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
var _valid2 = _errs36 === errors;
valid5 = valid5 || _valid2;
}
if(!valid5){
const err29 = {instancePath:instancePath+"/ovs/handlerThreads",schemaPath:"#/properties/ovs/properties/handlerThreads/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
else {
errors = _errs33;
if(vErrors !== null){
if(_errs33){
vErrors.length = _errs33;
}
else {
vErrors = null;
}
}
}
}
if(data8.revalidatorThreads !== undefined){
let data11 = data8.revalidatorThreads;
const _errs38 = errors;
let valid6 = false;
const _errs39 = errors;
if(!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))){
const err30 = {instancePath:instancePath+"/ovs/revalidatorThreads",schemaPath:"#/properties/ovs/properties/revalidatorThreads/anyOf/0/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if((typeof data11 == "number") && (isFinite(data11))){
if(data11 > 1024 || isNaN(data11)){
const err31 = {instancePath:instancePath+"/ovs/revalidatorThreads",schemaPath:"#/properties/ovs/properties/revalidatorThreads/anyOf/0/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(data11 < 1 || isNaN(data11)){
const err32 = {instancePath:instancePath+"/ovs/revalidatorThreads",schemaPath:"#/properties/ovs/properties/revalidatorThreads/anyOf/0/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
var _valid3 = _errs39 === errors;
valid6 = valid6 || _valid3;
if(!valid6){
const _errs41 = errors;
if("auto" !== data11){
const err33 = {instancePath:instancePath+"/ovs/revalidatorThreads",schemaPath:"#/properties/ovs/properties/revalidatorThreads/anyOf/1/const",keyword:"const",params:{allowedValue: "auto"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
var _valid3 = _errs41 === errors;
valid6 = valid6 || _valid3;
}
if(!valid6){
const err34 = {instancePath:instancePath+"/ovs/revalidatorThreads",schemaPath:"#/properties/ovs/properties/revalidatorThreads/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
else {
errors = _errs38;
if(vErrors !== null){
if(_errs38){
vErrors.length = _errs38;
}
else {
vErrors = null;
}
}
}
}
if(data8.lockMemory !== undefined){
if(typeof data8.lockMemory !== "boolean"){
const err35 = {instancePath:instancePath+"/ovs/lockMemory",schemaPath:"#/properties/ovs/properties/lockMemory/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
if(data8.datapathType !== undefined){
let data13 = data8.datapathType;
if(!((data13 === "system") || (data13 === "netdev"))){
const err36 = {instancePath:instancePath+"/ovs/datapathType",schemaPath:"#/properties/ovs/properties/datapathType/enum",keyword:"enum",params:{allowedValues: schema11.properties.ovs.properties.datapathType.enum}};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
}
else {
const err37 = {instancePath:instancePath+"/ovs",schemaPath:"#/properties/ovs/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
if(data.manifests !== undefined){
let data14 = data.manifests;
if(data14 && typeof data14 == "object" && !Array.isArray(data14)){
for(const key3 in data14){
if(!(((key3 === "flavor") || (key3 === "image")) || (key3 === "imagePullPolicy"))){
const err38 = {instancePath:instancePath+"/manifests",schemaPath:"#/properties/manifests/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
if(data14.flavor !== undefined){
let data15 = data14.flavor;
if(!(((((data15 === "auto") || (data15 === "classic")) || (data15 === "no-uplink")) || (data15 === "multi-node")) || (data15 === "interconnect"))){
const err39 = {instancePath:instancePath+"/manifests/flavor",schemaPath:"#/properties/manifests/properties/flavor/enum",keyword:"enum",params:{allowedValues: schema11.properties.manifests.properties.flavor.enum}};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data14.image !== undefined){
let data16 = data14.image;
if(typeof data16 === "string"){
if(!pattern4.test(data16)){
const err40 = {instancePath:instancePath+"/manifests/image",schemaPath:"#/properties/manifests/properties/image/pattern",keyword:"pattern",params:{pattern: "^([A-Za-z0-9\\[][A-Za-z0-9._:/@+\\[\\]-]{0,510})?$"}};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
else {
const err41 = {instancePath:instancePath+"/manifests/image",schemaPath:"#/properties/manifests/properties/image/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
if(data14.imagePullPolicy !== undefined){
let data17 = data14.imagePullPolicy;
if(!(((data17 === "IfNotPresent") || (data17 === "Always")) || (data17 === "Never"))){
const err42 = {instancePath:instancePath+"/manifests/imagePullPolicy",schemaPath:"#/properties/manifests/properties/imagePullPolicy/enum",keyword:"enum",params:{allowedValues: schema11.properties.manifests.properties.imagePullPolicy.enum}};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
}
else {
const err43 = {instancePath:instancePath+"/manifests",schemaPath:"#/properties/manifests/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
if(data.overlay !== undefined){
let data18 = data.overlay;
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
for(const key4 in data18){
if(!(func2.call(schema11.properties.overlay.properties, key4))){
const err44 = {instancePath:instancePath+"/overlay",schemaPath:"#/properties/overlay/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
if(data18.nodeName !== undefined){
let data19 = data18.nodeName;
if(typeof data19 === "string"){
if(!pattern5.test(data19)){
const err45 = {instancePath:instancePath+"/overlay/nodeName",schemaPath:"#/properties/overlay/properties/nodeName/pattern",keyword:"pattern",params:{pattern: "^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$"}};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
else {
const err46 = {instancePath:instancePath+"/overlay/nodeName",schemaPath:"#/properties/overlay/properties/nodeName/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data18.clusterSubnet !== undefined){
let data20 = data18.clusterSubnet;
if(typeof data20 === "string"){
if(!pattern6.test(data20)){
const err47 = {instancePath:instancePath+"/overlay/clusterSubnet",schemaPath:"#/properties/overlay/properties/clusterSubnet/pattern",keyword:"pattern",params:{pattern: "^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?)?$"}};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
else {
const err48 = {instancePath:instancePath+"/overlay/clusterSubnet",schemaPath:"#/properties/overlay/properties/clusterSubnet/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
if(data18.serviceSubnet !== undefined){
let data21 = data18.serviceSubnet;
if(typeof data21 === "string"){
if(!pattern6.test(data21)){
const err49 = {instancePath:instancePath+"/overlay/serviceSubnet",schemaPath:"#/properties/overlay/properties/serviceSubnet/pattern",keyword:"pattern",params:{pattern: "^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?)?$"}};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
else {
const err50 = {instancePath:instancePath+"/overlay/serviceSubnet",schemaPath:"#/properties/overlay/properties/serviceSubnet/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data18.joinSubnet !== undefined){
let data22 = data18.joinSubnet;
if(typeof data22 === "string"){
if(!pattern8.test(data22)){
const err51 = {instancePath:instancePath+"/overlay/joinSubnet",schemaPath:"#/properties/overlay/properties/joinSubnet/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3})?$"}};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
else {
const err52 = {instancePath:instancePath+"/overlay/joinSubnet",schemaPath:"#/properties/overlay/properties/joinSubnet/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
if(data18.encapType !== undefined){
let data23 = data18.encapType;
if(!((data23 === "geneve") || (data23 === "vxlan"))){
const err53 = {instancePath:instancePath+"/overlay/encapType",schemaPath:"#/properties/overlay/properties/encapType/enum",keyword:"enum",params:{allowedValues: schema11.properties.overlay.properties.encapType.enum}};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
if(data18.encapAddress !== undefined){
let data24 = data18.encapAddress;
if(typeof data24 === "string"){
if(!pattern9.test(data24)){
const err54 = {instancePath:instancePath+"/overlay/encapAddress",schemaPath:"#/properties/overlay/properties/encapAddress/pattern",keyword:"pattern",params:{pattern: "^(auto|[0-9A-Fa-f.:]{2,39})$"}};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
else {
const err55 = {instancePath:instancePath+"/overlay/encapAddress",schemaPath:"#/properties/overlay/properties/encapAddress/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data18.kubeconfig !== undefined){
let data25 = data18.kubeconfig;
if(typeof data25 === "string"){
if(!pattern10.test(data25)){
const err56 = {instancePath:instancePath+"/overlay/kubeconfig",schemaPath:"#/properties/overlay/properties/kubeconfig/pattern",keyword:"pattern",params:{pattern: "^(/[^\\u0000-\\u001f]{1,4095})?$"}};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
else {
const err57 = {instancePath:instancePath+"/overlay/kubeconfig",schemaPath:"#/properties/overlay/properties/kubeconfig/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
if(data18.servicePorts !== undefined){
let data26 = data18.servicePorts;
if(typeof data26 === "string"){
if(!pattern11.test(data26)){
const err58 = {instancePath:instancePath+"/overlay/servicePorts",schemaPath:"#/properties/overlay/properties/servicePorts/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,5}(-[0-9]{1,5})?(, ?[0-9]{1,5}(-[0-9]{1,5})?){0,63})?$"}};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
else {
const err59 = {instancePath:instancePath+"/overlay/servicePorts",schemaPath:"#/properties/overlay/properties/servicePorts/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
if(data18.externalIPRanges !== undefined){
let data27 = data18.externalIPRanges;
if(typeof data27 === "string"){
if(!pattern12.test(data27)){
const err60 = {instancePath:instancePath+"/overlay/externalIPRanges",schemaPath:"#/properties/overlay/properties/externalIPRanges/pattern",keyword:"pattern",params:{pattern: "^([0-9A-Fa-f.:]{2,39}/[0-9]{1,3}(, ?[0-9A-Fa-f.:]{2,39}/[0-9]{1,3}){0,63})?$"}};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
else {
const err61 = {instancePath:instancePath+"/overlay/externalIPRanges",schemaPath:"#/properties/overlay/properties/externalIPRanges/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
}
else {
const err62 = {instancePath:instancePath+"/overlay",schemaPath:"#/properties/overlay/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
}
else {
const err63 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}

/** One broken rule of the schema: where in the value, which rule, and the rule's own facts. */
export interface SchemaFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Every rule of the schema that the value breaks; none when it is valid. */
export function schemaFaults(value: unknown): readonly SchemaFault[] {
  return validate(value) ? [] : validate.errors;
}
